-- The row is locked first and the clock read above it: an UPDATE alone would judge by an instant before its wait for the
-- row, and revive a lapsed lock behind a session that had only locked it.

-- name: Renew :many
WITH held AS MATERIALIZED (
    SELECT l.name
    FROM namedlock.locks AS l
    WHERE l.name = @name
      AND l.owner = @owner
      AND l.token = @token
    FOR UPDATE
), decision AS MATERIALIZED (
    SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant
    FROM held
)
UPDATE namedlock.locks AS l
SET deadline = decision.instant + @ttl::interval
FROM decision
WHERE l.name = @name
  AND l.owner = @owner
  AND l.token = @token
  AND l.deadline > decision.instant
RETURNING l.claim, l.acquired_at, l.deadline, decision.instant;
