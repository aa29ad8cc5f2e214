package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
	files "github.com/alkstore/namedlock/sql"
)

// Inspection is what can be told of a server before anybody asks it for a lock.
type Inspection struct {
	// Version is the server's release, and Encoding that of the database, which must be UTF8.
	Version, Encoding string
	// ReadOnly is whether nothing can be written: a standby, or a session that is read-only by default.
	ReadOnly bool
	// Ahead is how far the server's clock is ahead of this machine's, give or take Uncertainty. The server's judges.
	Ahead, Uncertainty time.Duration
	// Pooler is whether the session that answers is another one than the session that was opened. Then nobody can listen,
	// and whoever waits polls.
	Pooler bool
	// Applied is the version of the schema, zero where there is none, and Known the version that this release makes.
	Applied, Known int64
}

// Inspect looks at the server at url, a connection string of pgx, on one connection of its own. It changes nothing, and
// needs no more rights than Migrate does on a schema that is up to date.
func Inspect(ctx context.Context, url string, config Config) (Inspection, error) {
	schema, err := newSchema(config.Schema)
	if err != nil {
		return Inspection{}, refused(err)
	}
	settings, err := pgx.ParseConfig(url)
	if err != nil {
		return Inspection{}, refused(errUnparsed)
	}
	conn, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		return Inspection{}, refused(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	queries := (&statements{schema: schema}).on(conn)
	found, err := inspectServer(ctx, conn, queries)
	if err == nil {
		found.Applied, found.Known, err = inspectSchema(ctx, queries)
	}
	if err != nil {
		return Inspection{}, refused(err)
	}
	return found, nil
}

// errUnparsed stands for the parser's own words, which may hold a password.
var errUnparsed = errors.New("the connection string cannot be parsed: give postgres://user@host:port/database")

// inspectServer asks twice: the first time the statement is prepared, which takes longer than an answer about the time may.
func inspectServer(ctx context.Context, conn *pgx.Conn, queries *postgresdb.Queries) (Inspection, error) {
	if _, err := queries.InspectServer(ctx); err != nil {
		return Inspection{}, err
	}
	began := time.Now()
	server, err := queries.InspectServer(ctx)
	if err != nil {
		return Inspection{}, err
	}
	half := time.Since(began) / 2
	return Inspection{
		Version:     server.Version,
		Encoding:    server.Encoding,
		ReadOnly:    server.ReadOnly,
		Ahead:       server.At.Time.Sub(began.Add(half)),
		Uncertainty: half,
		Pooler:      uint32(server.Session) != conn.PgConn().PID(),
	}, nil
}

// inspectSchema returns the version of the schema, and that which this release makes.
func inspectSchema(ctx context.Context, queries *postgresdb.Queries) (applied, known int64, err error) {
	steps, err := files.Migrations("postgres")
	if err != nil {
		return 0, 0, err
	}
	known = files.Latest(steps)
	versions, err := queries.ListVersions(ctx)
	switch {
	case isMissing(err):
		return 0, known, nil
	case err != nil:
		return 0, 0, domain.DatabaseError(err)
	case len(versions) == 0:
		return 0, known, nil
	}
	return versions[len(versions)-1], known, nil
}
