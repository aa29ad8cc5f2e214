package postgres_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// recorder keeps the statements that a pool sends.
type recorder struct {
	mu   sync.Mutex
	sent []pgx.TraceQueryStartData
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, data)
	return ctx
}

func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// during returns what was sent while work ran.
func (r *recorder) during(work func()) []pgx.TraceQueryStartData {
	r.sent = nil
	work()
	return r.sent
}

// recordedPool returns a pool whose statements are recorded.
func recordedPool(t *testing.T) (*pgxpool.Pool, *recorder) {
	t.Helper()
	config, err := pgxpool.ParseConfig(server(t))
	if err != nil {
		t.Fatal(err)
	}
	recorder := &recorder{}
	config.ConnConfig.Tracer = recorder
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, recorder
}

func TestEachOperationIsOneStatement(t *testing.T) {
	pool, recorder := recordedPool(t)
	locker := newLocker(t, pool, newSchema(t))
	ctx := t.Context()
	lock := grant(t, locker, "x", "A", time.Hour)

	for _, operation := range []struct {
		name string
		run  func()
	}{
		{"a winning try", func() { grant(t, locker, "y", "A", time.Hour) }},
		{"a losing try", func() { _, _, _ = locker.TryLock(ctx, "x", "B", time.Hour) }},
		{"a try of the holder", func() { grant(t, locker, "x", "A", time.Hour) }},
		{"a renewal", func() { _, _ = lock.Renew(ctx, time.Hour) }},
		{"a release", func() { _, _ = lock.Release(ctx) }},
		{"a refused renewal", func() { _, _ = lock.Renew(ctx, time.Hour) }},
		{"a release of nothing", func() { _, _ = lock.Release(ctx) }},
		{"a look-up", func() { _, _, _ = locker.Find(ctx, "x") }},
		{"a break", func() { _, _ = locker.Break(ctx, "x", 1) }},
		{"a purge of one page", func() { _, _ = locker.Purge(ctx, time.Hour) }},
	} {
		if sent := recorder.during(operation.run); len(sent) != 1 {
			t.Errorf("%s: %d statements, want 1: %v", operation.name, len(sent), sent)
		}
	}
}

func TestALosingTryWritesNothing(t *testing.T) {
	pool, recorder := recordedPool(t)
	locker := newLocker(t, pool, newSchema(t))
	grant(t, locker, "x", "A", time.Hour)

	losing := recorder.during(func() { _, _, _ = locker.TryLock(t.Context(), "x", "B", time.Hour) })[0]
	if records := walRecords(t, pool, losing); records != 0 {
		t.Errorf("a losing try wrote %v records to the log, want 0", records)
	}
	winning := recorder.during(func() { grant(t, locker, "y", "A", time.Nanosecond) })[0]
	if records := walRecords(t, pool, winning); records == 0 {
		t.Error("a winning try wrote no record: the measure sees nothing")
	}
}

// walRecords runs a statement again, and returns how many records it writes to the log.
func walRecords(t *testing.T, pool *pgxpool.Pool, statement pgx.TraceQueryStartData) float64 {
	t.Helper()
	var text string
	if err := pool.QueryRow(t.Context(), "EXPLAIN (ANALYZE, WAL, FORMAT JSON) "+statement.SQL, statement.Args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan map[string]any }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	records, measured := plans[0].Plan["WAL Records"].(float64)
	if !measured {
		t.Fatalf("no figure for the log in %s", text)
	}
	return records
}
