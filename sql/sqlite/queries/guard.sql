-- A guard runs in the transaction of the caller. Writing makes that one the only writer of the file, whatever it was
-- before, so that nobody is granted the name until it ends. A transaction that has read an older state is refused the
-- writer by SQLite. The clock is read after this.

-- name: BecomeWriter :exec
UPDATE namedlock_locks
SET deadline = deadline
WHERE name = @name
  AND owner = @owner
  AND token = @token;
