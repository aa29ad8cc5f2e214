package postgres_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

// statementCount counts the statements of a pool.
type statementCount struct{ sent atomic.Int64 }

func (c *statementCount) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.sent.Add(1)
	return ctx
}

func (c *statementCount) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// countedPool returns a pool of so many connections whose statements are counted.
func countedPool(t *testing.T, connections int32) (*pgxpool.Pool, *statementCount) {
	t.Helper()
	config, err := pgxpool.ParseConfig(server(t))
	if err != nil {
		t.Fatal(err)
	}
	count := &statementCount{}
	config.MaxConns, config.ConnConfig.Tracer = connections, count
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, count
}

// each runs work for the numbers below n, some at a time.
func each(n int, work func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	all.Wait()
}

func TestTenThousandLocksAreKeptOnFourConnections(t *testing.T) {
	const crowd, ttl = 10_000, 10 * time.Second
	lasting := time.Minute
	if testing.Short() {
		lasting = 15 * time.Second
	}
	schema := newSchema(t)
	pool, statements := countedPool(t, 4)
	locker := newLocker(t, pool, schema)
	var lost atomic.Int32
	locks, stops := make([]*namedlock.Lock, crowd), make([]func(), crowd)
	each(crowd, func(i int) {
		lock, _, err := locker.TryLock(context.Background(), fmt.Sprint("job ", i), "A", ttl)
		if err != nil {
			t.Error(err)
			return
		}
		working, stop := lock.Keep(context.Background())
		heard := context.AfterFunc(working, func() { lost.Add(1) })
		locks[i], stops[i] = lock, func() { heard(); stop() }
	})
	if t.Failed() {
		return
	}

	sent, others, slowest := statements.sent.Load(), 0, time.Duration(0)
	for end := time.Now().Add(lasting); time.Now().Before(end); others++ {
		began := time.Now()
		if _, err := pool.Exec(t.Context(), "SELECT 1"); err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
		passes(20 * time.Millisecond)
	}
	perSecond := float64(statements.sent.Load()-sent-int64(others)) / lasting.Seconds()
	t.Logf("%.1f statements a second; of %d other calls the slowest took %v", perSecond, others, slowest)
	if perSecond <= 0 || perSecond > 20 {
		t.Errorf("%.1f statements a second, want some, and 20 at most", perSecond)
	}
	if slowest > time.Second {
		t.Errorf("another call took %v", slowest)
	}
	if n := lost.Load(); n > 0 {
		t.Errorf("%d locks were lost", n)
	}
	each(crowd, func(i int) {
		stops[i]()
		if released, err := locks[i].Release(context.Background()); !released || err != nil {
			t.Errorf("%s: %v, %v", locks[i].Name(), released, err)
		}
	})
}

func TestNothingIsLeftOfManyLocks(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	pool, _ := countedPool(t, 8)
	repo, err := postgres.New(pool, postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	locker := namedlock.New(repo)
	each(16, func(i int) { grantAndRelease(t, locker, fmt.Sprint("warm ", i)) })
	goroutines := settled(0)

	each(10_000, func(i int) {
		name := fmt.Sprint("job ", i%500)
		if err := locker.Do(context.Background(), name, fmt.Sprint("owner ", i), time.Minute, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	held := grant(t, locker, "held", "A", time.Minute)
	each(1000, func(i int) {
		lock, incumbent, err := locker.TryLock(context.Background(), "held", fmt.Sprint("owner ", i), time.Minute)
		if lock != nil || incumbent == nil || err != nil {
			t.Errorf("the try was answered with %v, %v, %v", lock, incumbent, err)
		}
	})
	if _, err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	loseMany(t, locker, func() { must(t, admin, "DELETE FROM "+table(schema)) })

	if left := settled(goroutines); left > goroutines {
		t.Errorf("%d goroutines, and %d before", left, goroutines)
	}
	if inUse := pool.Stat().AcquiredConns(); inUse != 0 {
		t.Errorf("%d connections are in use", inUse)
	}
	if err := locker.Close(); err != nil {
		t.Error(err)
	}
}

// loseMany keeps a thousand locks and loses them all.
func loseMany(t *testing.T, locker *namedlock.Locker, lose func()) {
	t.Helper()
	var ends [1000]context.Context
	each(len(ends), func(i int) {
		lock, _, err := locker.TryLock(context.Background(), fmt.Sprint("lost ", i), "A", 9*time.Second)
		if err != nil {
			t.Error(err)
			return
		}
		working, stop := lock.Keep(context.Background())
		context.AfterFunc(working, stop)
		ends[i] = working
	})
	lose()
	for _, working := range ends {
		if working != nil {
			<-working.Done()
		}
	}
}

// grantAndRelease takes a lock and gives it back.
func grantAndRelease(t *testing.T, locker *namedlock.Locker, name string) {
	t.Helper()
	if _, err := grant(t, locker, name, "A", time.Minute).Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// settled returns the number of goroutines once it is down to what is wanted, or has not changed for a while.
func settled(wanted int) int {
	last, since := runtime.NumGoroutine(), time.Now()
	for time.Since(since) < 3*time.Second && last > wanted {
		passes(20 * time.Millisecond)
		if now := runtime.NumGoroutine(); now < last {
			last, since = now, time.Now()
		}
	}
	return last
}
