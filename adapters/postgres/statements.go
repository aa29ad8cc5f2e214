package postgres

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
)

// statements turns the generated statements into those of one schema, each once.
type statements struct {
	schema    schema
	qualified sync.Map
}

// text returns the statement for the schema.
func (s *statements) text(statement string) string {
	if known, ok := s.qualified.Load(statement); ok {
		return known.(string)
	}
	text := s.schema.qualify(statement)
	s.qualified.Store(statement, text)
	return text
}

// on returns the generated queries, run on db in the schema.
func (s *statements) on(db postgresdb.DBTX) *postgresdb.Queries {
	return postgresdb.New(inSchema{db: db, statements: s})
}

// inSchema runs each statement in the schema.
type inSchema struct {
	db         postgresdb.DBTX
	statements *statements
}

func (i inSchema) Exec(ctx context.Context, statement string, args ...any) (pgconn.CommandTag, error) {
	return i.db.Exec(ctx, i.statements.text(statement), args...)
}

func (i inSchema) Query(ctx context.Context, statement string, args ...any) (pgx.Rows, error) {
	return i.db.Query(ctx, i.statements.text(statement), args...)
}

func (i inSchema) QueryRow(ctx context.Context, statement string, args ...any) pgx.Row {
	return i.db.QueryRow(ctx, i.statements.text(statement), args...)
}
