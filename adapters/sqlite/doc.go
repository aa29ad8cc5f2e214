// Package sqlite keeps locks in a SQLite file, for processes on one machine. It uses mattn/go-sqlite3, which needs cgo.
//
// [Open] takes the path of a file and does the rest: write-ahead log, full synchronisation so that a power cut cannot make
// tokens go back, a file that only its owner can read, and the schema. [New] takes a *sql.DB that the caller opened, on
// which [Migrate] was run; it is used as it is, never reconfigured and never closed.
//
// Time is the injected clock's, read once for each decision and after every wait for the writer (M3, L15). A try that
// loses only reads. Everything else is one short write transaction, and waiting for the writer, also one in another
// process, ends with the context: no caller sees SQLITE_BUSY or SQLITE_LOCKED.
//
// Who waits for a lock is woken at once by a release in the same process. For those of other processes the files are looked
// at while somebody waits, every one to eight milliseconds, which reads no page; about once a second it asks in any case.
//
// The file must be on a disk of this machine: SQLite's locks do not work on network file systems. One file can hold the
// caller's own tables too; ours begin with namedlock_. [Repository.Guard] makes a transaction on them depend on a lock.
package sqlite
