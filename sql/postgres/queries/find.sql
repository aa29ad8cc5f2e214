-- Names are compared and ordered byte for byte. A range of names is half open.

-- name: Find :many
SELECT l.owner, l.token, l.claim, l.acquired_at, l.deadline, look.instant
FROM (SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant) AS look, namedlock.locks AS l
WHERE l.name = @name;

-- name: List :many
SELECT l.name, l.owner, l.token, l.claim, l.acquired_at, l.deadline, look.instant
FROM (SELECT COALESCE(sqlc.narg('now')::timestamptz, clock_timestamp())::timestamptz AS instant) AS look, namedlock.locks AS l
WHERE l.name >= @from_name
  AND l.name < @end_name
  AND l.name > @after_name
ORDER BY l.name
LIMIT @row_limit;
