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

-- Many renewals at one instant. A row that somebody is busy with is passed over, not waited for, and shown as undecided. A
-- place that is not in the answer is refused.

-- name: RenewBatch :many
WITH asked AS MATERIALIZED (
    SELECT a.place, a.name, a.owner, a.token, a.ttl
    FROM ROWS FROM (unnest(@names::text[]), unnest(@owners::text[]), unnest(@tokens::bigint[]), unnest(@ttls::interval[]))
        WITH ORDINALITY AS a (name, owner, token, ttl, place)
), held AS MATERIALIZED (
    SELECT asked.place
    FROM asked, namedlock.locks AS l
    WHERE l.name = asked.name
      AND l.owner = asked.owner
      AND l.token = asked.token
    FOR UPDATE OF l SKIP LOCKED
), decision AS MATERIALIZED (
    SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant
    FROM (SELECT count(*) FROM held) AS gathered
), renewed AS (
    UPDATE namedlock.locks AS l
    SET deadline = decision.instant + asked.ttl
    FROM asked, held, decision
    WHERE asked.place = held.place
      AND l.name = asked.name
      AND l.owner = asked.owner
      AND l.token = asked.token
      AND l.deadline > decision.instant
    RETURNING asked.place, l.claim, l.acquired_at, l.deadline, decision.instant
)
SELECT place::bigint, claim, acquired_at, deadline, instant, false AS undecided
FROM renewed
UNION ALL
SELECT asked.place::bigint, l.claim, l.acquired_at, l.deadline, decision.instant, true AS undecided
FROM asked, namedlock.locks AS l, decision
WHERE l.name = asked.name
  AND l.owner = asked.owner
  AND l.token = asked.token
  AND NOT EXISTS (SELECT FROM held WHERE held.place = asked.place);
