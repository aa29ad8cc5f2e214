package postgres_test

import (
	"testing"
	"time"
)

// Renewal changes no indexed column, so that the row stays on its page and the index does not grow.
func TestRenewalsStayOnTheirPage(t *testing.T) {
	schema, watch, pool := newSchema(t), connect(t), openPool(t, "pool_max_conns=1")
	lock := grant(t, newLocker(t, pool, schema), "x", "A", time.Hour)
	const renewals = 200
	for range renewals {
		if renewed, err := lock.Renew(t.Context(), time.Hour); !renewed || err != nil {
			t.Fatal(renewed, err)
		}
	}
	pool.Close() // the session reports its figures when it ends
	until(t, watch, "SELECT n_tup_upd = $2 FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'locks'", schema, renewals)
	if hot := ask[int](t, watch, "SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'locks'", schema); hot < renewals*95/100 {
		t.Errorf("%d of %d renewals stayed on their page", hot, renewals)
	}
}

func TestTheTablesAndTheNumbersSurviveACrash(t *testing.T) {
	schema, watch := newSchema(t), connect(t)
	if persistent := ask[bool](t, watch, "SELECT bool_and(relpersistence = 'p') FROM pg_class WHERE relnamespace = $1::regnamespace", schema); !persistent {
		t.Error("a table or the sequence is emptied by a crash")
	}
}
