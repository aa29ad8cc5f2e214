-- One page of a purge, in two statements: the long look only reads, and the removal looks again at each row.

-- name: ListLapsed :many
SELECT name
FROM namedlock_locks
WHERE name > @after_name
  AND deadline <= @lapsed_before
ORDER BY name
LIMIT @row_limit;

-- name: Purge :execrows
DELETE FROM namedlock_locks
WHERE deadline <= @lapsed_before
  AND name IN (SELECT value FROM json_each(CAST(@names AS TEXT)));
