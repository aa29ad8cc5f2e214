-- What can be told of a server before anybody asks it for a lock.

-- name: InspectServer :one
SELECT
    clock_timestamp()::timestamptz AS at,
    pg_backend_pid() AS session,
    current_setting('server_version')::text AS version,
    current_setting('server_encoding')::text AS encoding,
    (pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean)::boolean AS read_only;
