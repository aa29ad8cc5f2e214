//go:build cgo

package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/mattn/go-sqlite3"
)

// connector opens connections that do not wait inside SQLite, where no context reaches.
type connector struct{ dsn string }

// Connect opens a connection, patiently: setting it up may meet a recovery, or others who set up the file just now.
func (c connector) Connect(ctx context.Context) (conn driver.Conn, err error) {
	err = patiently(ctx, func() (err error) {
		conn, err = c.Driver().Open(c.dsn)
		return err
	})
	return conn, err
}

// Driver returns the driver, which ends the busy timeout once a connection is set up.
func (c connector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		_, err := conn.Exec("PRAGMA busy_timeout = 0", nil)
		return err
	}}
}
