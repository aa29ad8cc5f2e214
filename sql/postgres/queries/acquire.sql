-- One statement decides. Who meets a live lock only reads (incumbent). Everybody else enters the gate of the name, waits
-- for the row if somebody is busy with it (lapsed), reads the clock (decision), and only then draws a number: a drawer
-- that stalls holds the gate, so that no rival can acquire and release in between with a larger number. No row at all
-- means that a rival was granted the name after this statement had begun to look: ask again.

-- name: Acquire :many
WITH look AS MATERIALIZED (
    SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant
), incumbent AS MATERIALIZED (
    SELECT l.owner, l.token, l.claim, l.acquired_at, l.deadline, look.instant
    FROM look, namedlock.locks AS l
    WHERE l.name = @name::text
      AND l.deadline > look.instant
), gate AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(hashtextextended('namedlock.locks ' || @name::text, 0)) AS entered
    WHERE NOT EXISTS (SELECT FROM incumbent)
), lapsed AS MATERIALIZED (
    SELECT l.name
    FROM gate, namedlock.locks AS l
    WHERE l.name = @name::text
    FOR UPDATE OF l
), decision AS MATERIALIZED (
    SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant
    FROM gate, (SELECT count(*) FROM lapsed) AS waited
), granted AS (
    INSERT INTO namedlock.locks AS l (name, owner, token, claim, acquired_at, deadline)
    SELECT @name::text, @owner::text, nextval('namedlock.tokens'), @claim::bigint, decision.instant, decision.instant + @ttl::interval
    FROM decision
    ON CONFLICT (name) DO UPDATE SET
        owner       = excluded.owner,
        token       = excluded.token,
        claim       = excluded.claim,
        acquired_at = excluded.acquired_at,
        deadline    = excluded.deadline
    WHERE l.deadline <= excluded.acquired_at
    RETURNING l.owner, l.token, l.claim, l.acquired_at, l.deadline, l.acquired_at AS instant
)
SELECT owner, token, claim, acquired_at, deadline, instant FROM granted
UNION ALL
SELECT owner, token, claim, acquired_at, deadline, instant FROM incumbent;

-- name: EnterGate :exec
SELECT pg_advisory_xact_lock(hashtextextended('namedlock.locks ' || @name::text, 0));

-- name: Withdraw :execrows
WITH gone AS (
    DELETE FROM namedlock.locks
    WHERE name = @name
      AND owner = @owner
      AND claim = @claim
    RETURNING name
)
SELECT CASE
    WHEN pg_try_advisory_xact_lock(hashtextextended('namedlock.waiters ' || gone.name, 0)) THEN NULL
    ELSE pg_notify('namedlock', gone.name)::text
END AS notified
FROM gone;
