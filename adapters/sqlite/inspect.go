package sqlite

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	files "github.com/alkstore/namedlock/sql"
)

// Inspection is what can be told of a SQLite file before anybody asks it for a lock.
type Inspection struct {
	// Version is the release of SQLite.
	Version string
	// JournalMode is how the file keeps what was written last: "wal" is what [Open] sets.
	JournalMode string
	// Applied is the version of the schema, zero where there is none, and Known the version that this release makes.
	Applied, Known int64
}

// Inspect looks at the file at path, which must be there, and changes nothing.
func Inspect(ctx context.Context, path string) (Inspection, error) {
	if err := refusePath(path); err != nil {
		return Inspection{}, refused(err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Inspection{}, refused(err)
	}
	db := sql.OpenDB(connector{dsn: dataSource(absolute, url.Values{"mode": {"rw"}, "_busy_timeout": {"50"}})})
	defer db.Close()
	found, err := inspect(ctx, newHandle(db, false), func(conn *sql.Conn) (Inspection, error) {
		return look(context.WithoutCancel(ctx), conn)
	})
	if err != nil {
		return Inspection{}, refused(err)
	}
	return found, nil
}

// look asks SQLite about itself and the file.
func look(ctx context.Context, conn *sql.Conn) (found Inspection, err error) {
	const about = "SELECT sqlite_version(), journal_mode, EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'namedlock_migrations') FROM pragma_journal_mode"
	steps, err := files.Migrations("sqlite")
	if err != nil {
		return Inspection{}, err
	}
	migrated := false
	if err := conn.QueryRowContext(ctx, about).Scan(&found.Version, &found.JournalMode, &migrated); err != nil {
		return Inspection{}, err
	}
	found.Known = files.Latest(steps)
	if !migrated {
		return found, nil
	}
	versions, err := sqlitedb.New(conn).ListVersions(ctx)
	if err == nil && len(versions) > 0 {
		found.Applied = versions[len(versions)-1]
	}
	return found, err
}
