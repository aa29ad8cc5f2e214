//go:build !cgo

package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/mattn/go-sqlite3"
)

// connector fails with the words of the driver, which is a stub without cgo.
type connector struct{ dsn string }

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.dsn) }

func (c connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }
