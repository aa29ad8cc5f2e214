package postgres_test

import (
	"fmt"
	"testing"
	"time"
)

// Nothing of the session is relied on or changed, in any way that pgx has to send a statement (M9).
func TestM9EveryExecutionModeAndOneConnectionWillDo(t *testing.T) {
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			pool := openPool(t, "pool_max_conns=1", "default_query_exec_mode="+mode)
			locker := newLocker(t, pool, newSchema(t))
			for i := range 20 {
				name := fmt.Sprintf("job %02d ' \\ %% $1 é", i)
				lock := grant(t, locker, name, "A", 1<<63-1)
				if renewed, err := lock.Renew(t.Context(), time.Hour); !renewed || err != nil {
					t.Fatalf("renew: %v, %v", renewed, err)
				}
				if _, incumbent, err := locker.TryLock(t.Context(), name, "B", time.Hour); err != nil || incumbent == nil || !incumbent.Deadline.Equal(lock.Deadline()) {
					t.Fatalf("a second owner: %+v, %v", incumbent, err)
				}
				if entry, found, err := locker.Find(t.Context(), name); !found || err != nil || entry.Name != name {
					t.Fatalf("find: %+v, %v", entry, err)
				}
				var one int
				if err := pool.QueryRow(t.Context(), "SELECT 1").Scan(&one); err != nil {
					t.Fatal(err)
				}
			}
			if held := pool.Stat().AcquiredConns(); held != 0 {
				t.Errorf("20 held locks keep %d connections", held)
			}
			count := 0
			for entry, err := range locker.List(t.Context(), "job ") {
				if err != nil {
					t.Fatal(err)
				}
				if broken, err := locker.Break(t.Context(), entry.Name, entry.Token); !broken || err != nil {
					t.Fatalf("break: %v, %v", broken, err)
				}
				count++
			}
			if purged, err := locker.Purge(t.Context(), 0); count != 20 || purged != 0 || err != nil {
				t.Errorf("listed %d, purged %d: %v", count, purged, err)
			}
		})
	}
}

func TestM9ASessionIsLeftAsItWas(t *testing.T) {
	pool := openPool(t, "pool_max_conns=1")
	locker := newLocker(t, pool, newSchema(t))
	state := func() (text string) {
		const settings = "SELECT string_agg(name || '=' || setting, ',' ORDER BY name) || (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) FROM pg_settings"
		if err := pool.QueryRow(t.Context(), settings).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := state()
	lock := grant(t, locker, "x", "A", time.Hour)
	_, _ = lock.Renew(t.Context(), time.Hour)
	_, _ = lock.Release(t.Context())
	if after := state(); after != before {
		t.Error("the session's settings or its advisory locks have changed")
	}
}
