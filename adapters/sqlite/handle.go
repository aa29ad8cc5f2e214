package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// handle reads and writes one SQLite database with patience.
type handle struct {
	db *sql.DB
	// blocks is whether SQLite itself may wait inside a statement, where no context reaches it.
	blocks bool
	// turn is held by the one goroutine of this handle that writes: those of one process queue up here, first come first
	// served, and only the first competes with other processes.
	turn chan struct{}
}

func newHandle(db *sql.DB, blocks bool) handle {
	return handle{db: db, blocks: blocks, turn: make(chan struct{}, 1)}
}

// transaction is the write transaction of one decision. Its statements are carried out to the end: the context has been
// asked before it began and is asked no more, so that the outcome is known.
type transaction struct {
	*sqlitedb.Queries
	conn *sql.Conn
}

// read returns what look finds by the queries. look only reads.
func read[T any](ctx context.Context, h handle, look func(*sqlitedb.Queries) (T, error)) (T, error) {
	return inspect(ctx, h, func(conn *sql.Conn) (T, error) { return look(sqlitedb.New(conn)) })
}

// inspect returns what look finds, on a connection of its own, and looks again while the database is busy.
func inspect[T any](ctx context.Context, h handle, look func(*sql.Conn) (T, error)) (T, error) {
	found, err := unlessAbandoned(ctx, h.blocks, func() (found T, err error) {
		conn, err := h.connect(ctx)
		if err != nil {
			return found, err
		}
		defer conn.Close()
		err = patiently(ctx, func() (err error) {
			found, err = look(conn)
			return err
		})
		return found, err
	}, func(T) {})
	return found, ports.NoEffect(err)
}

// write runs decide in a write transaction: nobody else writes between what it looks at and what it changes. The
// transaction is committed when decide returns nil and rolled back otherwise. decide may run again, in another
// transaction, where a shared cache kept its table busy.
func (h handle) write(ctx context.Context, decide func(transaction) error) error {
	return domain.DatabaseError(patiently(ctx, func() error { return h.attempt(ctx, decide) }))
}

// attempt is one write transaction. A commit that must wait for readers is tried again and keeps new ones out meanwhile.
func (h handle) attempt(ctx context.Context, decide func(transaction) error) error {
	tx, err := unlessAbandoned(ctx, h.blocks, func() (transaction, error) { return h.begin(ctx) }, h.rollback)
	if err != nil {
		return ports.NoEffect(err)
	}
	err = decide(tx)
	if err == nil {
		err = patiently(ctx, func() error { return execute(tx.conn, "COMMIT") })
	}
	if err != nil {
		h.rollback(tx)
		return err
	}
	h.end(tx)
	return nil
}

// begin waits for the turn, for a connection and for the writer of the database.
func (h handle) begin(ctx context.Context) (transaction, error) {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return transaction{}, ctx.Err()
	}
	conn, err := h.connect(ctx)
	if err != nil {
		<-h.turn
		return transaction{}, err
	}
	tx := transaction{Queries: sqlitedb.New(conn), conn: conn}
	if err := patiently(ctx, func() error { return execute(conn, "BEGIN IMMEDIATE") }); err != nil {
		h.end(tx)
		return transaction{}, err
	}
	return tx, nil
}

// connect returns a connection of the pool, patiently: setting up a new one may meet somebody who has the file to himself.
func (h handle) connect(ctx context.Context) (conn *sql.Conn, err error) {
	err = patiently(ctx, func() (err error) {
		conn, err = h.db.Conn(ctx)
		return err
	})
	return conn, err
}

// rollback undoes the transaction and ends it. A connection that cannot even do that is thrown away.
func (h handle) rollback(tx transaction) {
	if err := execute(tx.conn, "ROLLBACK"); err != nil {
		_ = tx.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	h.end(tx)
}

// end gives the connection and the turn back.
func (h handle) end(tx transaction) {
	_ = tx.conn.Close()
	<-h.turn
}

// execute runs a statement without results to its end.
func execute(conn *sql.Conn, statement string) error {
	_, err := conn.ExecContext(context.Background(), statement)
	return err
}
