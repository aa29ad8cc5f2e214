-- A guard runs in the transaction of the caller. It enters the gate of the name, shared: from then on, until that
-- transaction ends, nobody is granted the name, while renewals pass. Then it looks at the row as it is now. Only a row that
-- is locked is certain to be that under every isolation level; a savepoint around this lets the row go again.

-- name: EnterGateShared :exec
SELECT pg_advisory_xact_lock_shared(hashtextextended('namedlock.locks ' || @name::text, 0));

-- name: Guard :many
WITH held AS MATERIALIZED (
    SELECT l.deadline
    FROM namedlock.locks AS l
    WHERE l.name = @name
      AND l.owner = @owner
      AND l.token = @token
    FOR SHARE
), decision AS MATERIALIZED (
    SELECT held.deadline, COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant
    FROM held
)
SELECT decision.deadline::timestamptz
FROM decision
WHERE decision.deadline > decision.instant;
