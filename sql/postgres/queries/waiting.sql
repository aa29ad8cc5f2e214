-- Whoever waits, on a connection of its own, listens and announces the names with a shared lock each, which whoever
-- removes a row can feel. None of this outlives the connection.

-- name: ShowSession :one
SELECT pg_backend_pid();

-- name: Listen :exec
LISTEN namedlock;

-- name: Announce :many
SELECT waited.name::text
FROM unnest(@names::text[]) AS waited (name)
WHERE pg_try_advisory_lock_shared(hashtextextended('namedlock.waiters ' || waited.name, 0));

-- name: TakeBack :exec
SELECT pg_advisory_unlock_shared(hashtextextended('namedlock.waiters ' || waited.name, 0))
FROM unnest(@names::text[]) AS waited (name);
