-- The statement runs inside BEGIN IMMEDIATE, and @acquired_at is the clock's reading after it: nobody else writes between
-- the look and the insert. A number is drawn only for a row that is really written, and REPLACE takes the lapsed row away.
-- No row at all means that the lock is live.

-- name: Acquire :many
INSERT OR REPLACE INTO namedlock_locks (name, owner, claim, acquired_at, deadline)
SELECT CAST(@name AS TEXT), CAST(@owner AS TEXT), CAST(@claim AS INTEGER), CAST(@acquired_at AS INTEGER), CAST(@deadline AS INTEGER)
WHERE NOT EXISTS (
    SELECT 1
    FROM namedlock_locks AS incumbent
    WHERE incumbent.name = @name
      AND incumbent.deadline > @acquired_at
)
RETURNING owner, token, claim, acquired_at, deadline;

-- name: Withdraw :execrows
DELETE FROM namedlock_locks
WHERE name = @name
  AND owner = @owner
  AND claim = @claim;
