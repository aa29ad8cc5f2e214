// Package postgres keeps locks in a Postgres database, for processes on any number of machines. It speaks to the server
// through a pgxpool.Pool of pgx.
//
// [New] takes the pool of the caller, on whose database [Migrate] was run; it is used as it is, never reconfigured and
// never closed. [Open] opens a pool of its own and brings the schema up to date.
//
// Time is the server's, read after every wait for a row (M3), so that hosts may disagree about it. Acquire, renew and
// release are one statement each, in one round trip; a try that loses only reads and writes nothing to the log. Nothing of
// a session of the pool is relied on or changed (M9): transaction poolers and every default_query_exec_mode of pgx work, and
// so does any default isolation level.
//
// While somebody waits for a lock, one connection more is open, outside the pool and with its configuration. It listens, and
// holds a shared advisory lock for each name that is waited for; by these a release sees whether anybody is to be notified.
// Through a transaction pooler, where nobody can listen, who waits polls about ten times a second instead.
//
// [Repository.Guard] makes a transaction of the caller on the same database depend on a lock.
//
// Everything lives in one schema, "namedlock" unless the [Config] names another: the tables locks and migrations and the
// sequence tokens. To run, a role needs USAGE on the schema and on the sequence, and SELECT, INSERT, UPDATE and DELETE on
// locks; to call Migrate on a schema that is up to date, SELECT on migrations. The database must be encoded in UTF-8.
package postgres
