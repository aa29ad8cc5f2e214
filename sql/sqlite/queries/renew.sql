-- The statement runs inside BEGIN IMMEDIATE, and @now is the clock's reading after it: a renewal that waited for the
-- writer beyond its deadline is refused.

-- name: Renew :many
UPDATE namedlock_locks
SET deadline = @new_deadline
WHERE name = @name
  AND owner = @owner
  AND token = @token
  AND deadline > @now
RETURNING claim, acquired_at, deadline;
