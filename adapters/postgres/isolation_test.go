package postgres_test

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock"
)

// Under these levels the server fails where it would have to look again. Callers must not see that.
func TestContentionIsNoErrorAtAnyDefaultIsolation(t *testing.T) {
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			schema, watch := newSchema(t), connect(t)
			pool := openPool(t, "pool_max_conns=16", "default_transaction_isolation="+url.PathEscape(level))
			if got := isolationOf(t, pool); got != level {
				t.Fatalf("the sessions are at %s", got)
			}
			contend(t, newLocker(t, pool, schema))
			if rows := ask[int](t, watch, "SELECT count(*) FROM "+table(schema)); rows != 0 {
				t.Errorf("%d rows remain, want 0", rows)
			}
		})
	}
}

func isolationOf(t *testing.T, pool *pgxpool.Pool) (level string) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SHOW default_transaction_isolation").Scan(&level); err != nil {
		t.Fatal(err)
	}
	return level
}

// contend lets sixteen owners fight for three names, and for sixteen of their own, and fails on any error, and on two
// holders of one name at once.
func contend(t *testing.T, locker *namedlock.Locker) {
	t.Helper()
	var holders [3]sync.Mutex
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for round := range 40 {
				shared := round % len(holders)
				holdOnce(t, locker, fmt.Sprintf("shared-%d", shared), fmt.Sprintf("owner-%d", i), &holders[shared])
				holdOnce(t, locker, fmt.Sprintf("own-%d", i), fmt.Sprintf("owner-%d", i), nil)
			}
		})
	}
	all.Wait()
}

// holdOnce tries, renews and releases. The witness of a shared name tells whether anybody else held it meanwhile.
func holdOnce(t *testing.T, locker *namedlock.Locker, name, owner string, witness *sync.Mutex) {
	ctx := context.Background()
	lock, incumbent, err := locker.TryLock(ctx, name, owner, time.Hour)
	if err != nil || lock == nil {
		if err != nil || witness == nil {
			t.Errorf("try %s: %+v, %v", name, incumbent, err)
		}
		return
	}
	if witness != nil && !witness.TryLock() {
		t.Errorf("%s has two holders", name)
		return
	}
	renewed := answerOf(lock.Renew(ctx, time.Hour))
	if witness != nil {
		witness.Unlock()
	}
	if released := answerOf(lock.Release(ctx)); renewed != (answer{ok: true}) || released != (answer{ok: true}) {
		t.Errorf("%s: renewed %+v, released %+v", name, renewed, released)
	}
}
