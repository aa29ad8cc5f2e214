-- A row is removed by whoever names it exactly, live or lapsed. No clock is read.

-- name: Release :execrows
DELETE FROM namedlock.locks
WHERE name = @name
  AND owner = @owner
  AND token = @token;

-- name: BreakGrant :execrows
DELETE FROM namedlock.locks
WHERE name = @name
  AND token = @token;
