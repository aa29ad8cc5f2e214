package specs

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/adapters/postgres"
)

var _ = Contract("A lock in Postgres", ServerClock, func(ctx SpecContext) Store {
	pool := connect(ctx)
	schema := newSchema(ctx, pool)
	return Store{
		Repository:       valid(postgres.New(pool, postgres.Config{Schema: schema})),
		Age:              func(ctx context.Context, d time.Duration) { makeOlder(ctx, pool, schema, d) },
		Transaction:      func(ctx context.Context, work func()) { inPostgresTransaction(ctx, pool, schema, work) },
		ConnectionsInUse: func() int { return int(pool.Stat().AcquiredConns()) },
		Ping:             pool.Ping,
	}
}, Label("postgres"))

var _ = Contract("A lock in Postgres that is asked through two pools", ServerClock, func(ctx SpecContext) Store {
	pool, rival := connect(ctx), connect(ctx)
	schema := newSchema(ctx, pool)
	return Store{
		Repository: valid(postgres.New(pool, postgres.Config{Schema: schema})),
		Rival:      valid(postgres.New(rival, postgres.Config{Schema: schema})),
		Age:        func(ctx context.Context, d time.Duration) { makeOlder(ctx, pool, schema, d) },
	}
}, Label("postgres"))

var _ = Contract("A lock in Postgres by an injected clock", InjectedClock, func(ctx SpecContext) Store {
	clock := NewClock()
	pool, rival := connect(ctx), connect(ctx)
	config := postgres.Config{Schema: newSchema(ctx, pool), Clock: clock}
	return Store{
		Repository: valid(postgres.New(pool, config)),
		Rival:      valid(postgres.New(rival, config)),
		Clock:      clock,
	}
}, Label("postgres"))

var _ = Contract("A lock in Postgres whose sessions default to serializable", ServerClock, func(ctx SpecContext) Store {
	admin, pool, rival := connect(ctx), connectAt(ctx, "serializable"), connectAt(ctx, "repeatable read")
	schema := newSchema(ctx, admin)
	return Store{
		Repository:  valid(postgres.New(pool, postgres.Config{Schema: schema})),
		Rival:       valid(postgres.New(rival, postgres.Config{Schema: schema})),
		Age:         func(ctx context.Context, d time.Duration) { makeOlder(ctx, admin, schema, d) },
		Transaction: func(ctx context.Context, work func()) { inPostgresTransaction(ctx, pool, schema, work) },
	}
}, Label("postgres"))

// A server that is missing is no reason to leave these specs out in silence.
var _ = BeforeSuite(func() {
	if Label("postgres").MatchesLabelFilter(GinkgoLabelFilter()) && os.Getenv("PGURL") == "" {
		Fail("these specs want a PostgreSQL server: run `make test`, or give one in PGURL," +
			" or run the rest with `go test ./specs -ginkgo.label-filter='!postgres'`")
	}
})

// connect returns a pool of the spec's own.
func connect(ctx context.Context) *pgxpool.Pool {
	GinkgoHelper()
	pool := valid(pgxpool.New(ctx, os.Getenv("PGURL")))
	DeferCleanup(pool.Close)
	return pool
}

// connectAt returns a pool whose sessions have another default isolation.
func connectAt(ctx context.Context, level string) *pgxpool.Pool {
	GinkgoHelper()
	config := valid(pgxpool.ParseConfig(os.Getenv("PGURL")))
	config.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
	pool := valid(pgxpool.NewWithConfig(ctx, config))
	DeferCleanup(pool.Close)
	return pool
}

// newSchema makes a schema of the spec's own, with the tables in it.
func newSchema(ctx context.Context, pool *pgxpool.Pool) string {
	GinkgoHelper()
	schema := fmt.Sprintf("specs_%d_%d", os.Getpid(), time.Now().UnixNano())
	DeferCleanup(func(ctx SpecContext) {
		_, err := pool.Exec(ctx, fmt.Sprintf("DROP SCHEMA IF EXISTS %s CASCADE", schema))
		Expect(err).NotTo(HaveOccurred())
	})
	Expect(postgres.Migrate(ctx, pool, schema)).To(Succeed())
	return schema
}

// makeOlder makes every row older by d.
func makeOlder(ctx context.Context, pool *pgxpool.Pool, schema string, d time.Duration) {
	GinkgoHelper()
	_, err := pool.Exec(ctx, fmt.Sprintf("UPDATE %s.locks SET deadline = deadline - $1::interval, acquired_at = acquired_at - $1::interval", schema), d)
	Expect(err).NotTo(HaveOccurred())
}

// inPostgresTransaction runs work in a transaction that has read, and rolls it back.
func inPostgresTransaction(ctx context.Context, pool *pgxpool.Pool, schema string, work func()) {
	GinkgoHelper()
	tx := valid(pool.Begin(ctx))
	var rows int
	Expect(tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s.locks", schema)).Scan(&rows)).To(Succeed())
	work()
	Expect(tx.Rollback(ctx)).To(Succeed())
}
