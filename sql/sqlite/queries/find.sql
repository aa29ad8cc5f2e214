-- Names are compared and ordered byte for byte. A range of names is half open.

-- name: Find :many
SELECT owner, token, claim, acquired_at, deadline
FROM namedlock_locks
WHERE name = @name;

-- name: List :many
SELECT name, owner, token, claim, acquired_at, deadline
FROM namedlock_locks
WHERE name >= @from_name
  AND name < @end_name
  AND name > @after_name
ORDER BY name
LIMIT @row_limit;
