-- One page of a purge, in one statement. A row that somebody is busy with is passed over, not waited for, and a row that
-- was renewed meanwhile is judged by its new deadline.

-- name: Purge :many
WITH look AS MATERIALIZED (
    SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp()) - @age::interval AS instant
), lapsed AS MATERIALIZED (
    SELECT l.name
    FROM look, namedlock.locks AS l
    WHERE l.name > @after_name
      AND l.deadline <= look.instant
    ORDER BY l.name
    LIMIT @row_limit
    FOR UPDATE OF l SKIP LOCKED
)
DELETE FROM namedlock.locks AS l
USING lapsed
WHERE l.name = lapsed.name
RETURNING l.name;
