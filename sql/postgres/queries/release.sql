-- A row is removed by whoever names it exactly, live or lapsed. No clock is read. Whoever waits for a name holds a shared
-- lock for it: only where that can be felt is anybody notified, because a NOTIFY lets all commits of the server queue up.

-- name: Release :execrows
WITH gone AS (
    DELETE FROM namedlock.locks
    WHERE name = @name
      AND owner = @owner
      AND token = @token
    RETURNING name
)
SELECT CASE
    WHEN pg_try_advisory_xact_lock(hashtextextended('namedlock.waiters ' || gone.name, 0)) THEN NULL
    ELSE pg_notify('namedlock', gone.name)::text
END AS notified
FROM gone;

-- name: BreakGrant :execrows
WITH gone AS (
    DELETE FROM namedlock.locks
    WHERE name = @name
      AND token = @token
    RETURNING name
)
SELECT CASE
    WHEN pg_try_advisory_xact_lock(hashtextextended('namedlock.waiters ' || gone.name, 0)) THEN NULL
    ELSE pg_notify('namedlock', gone.name)::text
END AS notified
FROM gone;
