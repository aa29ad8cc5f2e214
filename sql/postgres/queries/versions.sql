-- The ground that the migrations stand on. This file is both schema and queries.

CREATE SCHEMA namedlock;

-- name: EnterMigration :exec
SELECT pg_advisory_xact_lock(hashtextextended('namedlock.migrations', 0));

-- name: SchemaExists :one
SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = @name::text);

-- name: CreateVersions :exec
CREATE TABLE IF NOT EXISTS namedlock.migrations (
    version    bigint      NOT NULL PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- name: ListVersions :many
SELECT version
FROM namedlock.migrations
ORDER BY version;

-- name: RecordVersion :exec
INSERT INTO namedlock.migrations (version)
VALUES (@version);
