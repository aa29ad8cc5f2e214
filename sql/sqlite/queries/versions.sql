-- The ground that the migrations stand on. This file is both schema and queries.

-- name: CreateVersions :exec
CREATE TABLE IF NOT EXISTS namedlock_migrations (
    version    INTEGER NOT NULL PRIMARY KEY,
    applied_at TEXT    NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

-- name: ListVersions :many
SELECT version
FROM namedlock_migrations
ORDER BY version;

-- name: RecordVersion :exec
INSERT INTO namedlock_migrations (version)
VALUES (@version);
