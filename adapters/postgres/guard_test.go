package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/domain"
)

// guarded is a schema with a lock in it, and a resource in the same database.
type guarded struct {
	*testing.T
	schema string
	pool   *pgxpool.Pool
	repo   *postgres.Repository
	locker *namedlock.Locker
	watch  *pgx.Conn
}

const guardApplication = "namedlock_guard_test"

// atEachIsolation runs a test at each isolation level that a transaction of the caller can have.
func atEachIsolation(t *testing.T, test func(g guarded, level pgx.TxIsoLevel)) {
	for _, level := range []pgx.TxIsoLevel{pgx.ReadUncommitted, pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) { test(newGuarded(t), level) })
	}
}

func newGuarded(t *testing.T) guarded {
	schema := newSchema(t)
	pool := openPool(t, "application_name="+guardApplication)
	repo, err := postgres.New(pool, postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	locker := namedlock.New(repo)
	t.Cleanup(func() { _ = locker.Close() })
	g := guarded{T: t, schema: schema, pool: pool, repo: repo, locker: locker, watch: connect(t)}
	must(t, g.watch, fmt.Sprintf("CREATE TABLE %q.resource (n int)", schema))
	return g
}

// begin begins a transaction of the caller.
func (g guarded) begin(level pgx.TxIsoLevel) pgx.Tx {
	g.Helper()
	tx, err := g.pool.BeginTx(context.WithoutCancel(g.Context()), pgx.TxOptions{IsoLevel: level})
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// looks lets a transaction take its view of the database, where it keeps one.
func (g guarded) looks(tx pgx.Tx) {
	g.Helper()
	if _, err := tx.Exec(g.Context(), fmt.Sprintf("SELECT count(*) FROM %q.resource", g.schema)); err != nil {
		g.Fatal(err)
	}
}

// writes lets a transaction write to the resource and ends it.
func (g guarded) writes(tx pgx.Tx) {
	g.Helper()
	_, err := tx.Exec(g.Context(), fmt.Sprintf("INSERT INTO %q.resource VALUES (1)", g.schema))
	if err == nil {
		err = tx.Commit(g.Context())
	}
	if err != nil {
		g.Fatal(err)
	}
}

func TestGuardLetsWriteWhoHoldsTheLock(t *testing.T) {
	atEachIsolation(t, func(g guarded, level pgx.TxIsoLevel) {
		lock := grant(g.T, g.locker, "guarded", "A", time.Hour)
		tx := g.begin(level)
		if err := g.repo.Guard(g.Context(), tx, lock.Grant()); err != nil {
			g.Fatal(err)
		}
		// Renewals pass while the transaction is open, by hand and in batches.
		for range 2 {
			if got := answerOf(lock.Renew(g.Context(), 2*time.Hour)); got != (answer{ok: true}) {
				g.Errorf("renewed %+v", got)
			}
		}
		g.writes(tx)
		if got := answerOf(lock.Release(g.Context())); got != (answer{ok: true}) {
			g.Errorf("released %+v", got)
		}
	})
}

// Guard first: the takeover waits, however the lock ends meanwhile.
// Fails without EnterGateShared.
func TestGuardKeepsATakeoverWaitingUntilTheTransactionEnds(t *testing.T) {
	endings := map[string]func(g guarded, lock *namedlock.Lock){
		"released": func(g guarded, lock *namedlock.Lock) { _, _ = lock.Release(g.Context()) },
		"broken":   func(g guarded, lock *namedlock.Lock) { _, _ = g.locker.Break(g.Context(), "guarded", lock.Token()) },
		"lapsed": func(g guarded, lock *namedlock.Lock) {
			_, _ = lock.Renew(g.Context(), time.Microsecond)
			until(g.T, g.watch, "SELECT deadline <= clock_timestamp() FROM "+table(g.schema))
		},
		"purged": func(g guarded, lock *namedlock.Lock) {
			_, _ = lock.Renew(g.Context(), time.Microsecond)
			until(g.T, g.watch, "SELECT deadline <= clock_timestamp() FROM "+table(g.schema))
			_, _ = g.locker.Purge(g.Context(), 0)
		},
	}
	for title, end := range endings {
		t.Run(title, func(t *testing.T) {
			atEachIsolation(t, func(g guarded, level pgx.TxIsoLevel) {
				lock := grant(g.T, g.locker, "guarded", "A", time.Hour)
				tx := g.begin(level)
				if err := g.repo.Guard(g.Context(), tx, lock.Grant()); err != nil {
					g.Fatal(err)
				}
				end(g, lock)
				taken := call(func() time.Time {
					_ = grant(g.T, g.locker, "guarded", "B", time.Hour)
					return time.Now()
				})
				untilWaiting(g.T, g.watch, guardApplication, 1)
				written := time.Now()
				g.writes(tx)
				if at := <-taken; at.Before(written) {
					g.Error("the name was taken over before the guarded transaction had ended")
				}
			})
		})
	}
}

// Takeover first: the guard refuses, whatever the transaction has seen before. Under the levels that keep a view of the
// database it may be a serialization failure instead, and never a success.
// Fails without FOR SHARE, and with a view older than the gate.
func TestGuardRefusesWhoWasOvertaken(t *testing.T) {
	endings := map[string]func(g guarded, lock *namedlock.Lock){
		"lapsed": func(g guarded, lock *namedlock.Lock) {
			_, _ = lock.Renew(g.Context(), time.Microsecond)
			until(g.T, g.watch, "SELECT deadline <= clock_timestamp() FROM "+table(g.schema))
		},
		"released": func(g guarded, lock *namedlock.Lock) { _, _ = lock.Release(g.Context()) },
		"broken":   func(g guarded, lock *namedlock.Lock) { _, _ = g.locker.Break(g.Context(), "guarded", lock.Token()) },
		"taken over": func(g guarded, lock *namedlock.Lock) {
			_, _ = lock.Renew(g.Context(), time.Microsecond)
			until(g.T, g.watch, "SELECT deadline <= clock_timestamp() FROM "+table(g.schema))
			grant(g.T, g.locker, "guarded", "B", time.Hour)
		},
		"granted anew to the same owner": func(g guarded, lock *namedlock.Lock) {
			_, _ = lock.Release(g.Context())
			grant(g.T, g.locker, "guarded", "A", time.Hour)
		},
	}
	for title, end := range endings {
		for _, lookedBefore := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, looked before: %v", title, lookedBefore), func(t *testing.T) {
				atEachIsolation(t, func(g guarded, level pgx.TxIsoLevel) {
					lock := grant(g.T, g.locker, "guarded", "A", time.Hour)
					tx := g.begin(level)
					if lookedBefore {
						g.looks(tx)
					}
					end(g, lock)
					g.expectRefused(tx, lock, lookedBefore)
				})
			})
		}
	}
}

// expectRefused expects that the guard does not succeed. Only a view that was taken before may make a store's error of it.
func (g guarded) expectRefused(tx pgx.Tx, lock *namedlock.Lock, mayFail bool) {
	g.Helper()
	err := g.repo.Guard(g.Context(), tx, lock.Grant())
	overtaken := errors.Is(err, namedlock.ErrOvertaken) && !errors.Is(err, namedlock.ErrDatabase)
	if !overtaken && (!mayFail || !errors.Is(err, namedlock.ErrDatabase)) {
		g.Errorf("the guard said %v", err)
	}
}

// A takeover that is under way has entered the gate: the guard waits for it, and then sees what it left.
func TestGuardWaitsForATakeoverThatIsUnderWay(t *testing.T) {
	for _, looked := range []bool{false, true} {
		t.Run(fmt.Sprint("looked before: ", looked), func(t *testing.T) {
			atEachIsolation(t, func(g guarded, level pgx.TxIsoLevel) {
				lock := grant(g.T, g.locker, "guarded", "A", time.Hour)
				tx := g.begin(level)
				if looked {
					g.looks(tx)
				}
				rival, err := g.watch.Begin(g.Context())
				if err != nil {
					g.Fatal(err)
				}
				_, err = rival.Exec(g.Context(), "SELECT pg_advisory_xact_lock(hashtextextended('namedlock.locks guarded', 0))")
				if err != nil {
					g.Fatal(err)
				}
				if _, err = rival.Exec(g.Context(), "UPDATE "+table(g.schema)+" SET owner = 'B', token = token + 1"); err != nil {
					g.Fatal(err)
				}
				guarding := call(func() error { return g.repo.Guard(g.Context(), tx, lock.Grant()) })
				untilWaiting(g.T, connect(g.T), guardApplication, 1)
				if err := rival.Commit(g.Context()); err != nil {
					g.Fatal(err)
				}
				if err := <-guarding; !errors.Is(err, namedlock.ErrOvertaken) && !errors.Is(err, namedlock.ErrDatabase) {
					g.Errorf("the guard said %v", err)
				}
			})
		})
	}
}

func TestGuardSpeaksForOneGrantOnly(t *testing.T) {
	g := newGuarded(t)
	lock := grant(t, g.locker, "guarded", "A", time.Hour)
	other := func(change func(*domain.Grant)) domain.Grant {
		changed := lock.Grant()
		change(&changed)
		return changed
	}
	for title, stranger := range map[string]domain.Grant{
		"an earlier token": other(func(g *domain.Grant) { g.Token-- }),
		"a later token":    other(func(g *domain.Grant) { g.Token++ }),
		"another owner":    other(func(g *domain.Grant) { g.Owner = domain.RestoreOwner("B") }),
		"another name":     other(func(g *domain.Grant) { g.Name = domain.RestoreName("other") }),
		"no grant":         {},
	} {
		tx := g.begin(pgx.ReadCommitted)
		if err := g.repo.Guard(t.Context(), tx, stranger); !errors.Is(err, namedlock.ErrOvertaken) {
			t.Errorf("%s: the guard said %v", title, err)
		}
		_ = tx.Rollback(t.Context())
	}
}

func TestL12AGuardedTransactionThatIsRolledBackLeavesTheLockAsItIs(t *testing.T) {
	g := newGuarded(t)
	lock := grant(t, g.locker, "guarded", "A", time.Hour)
	tx := g.begin(pgx.ReadCommitted)
	err := errors.Join(g.repo.Guard(t.Context(), tx, lock.Grant()), tx.Rollback(t.Context()))
	if got := answerOf(lock.Renew(t.Context(), time.Hour)); got != (answer{ok: true}) || err != nil {
		t.Errorf("renewed %+v, %v", got, err)
	}
}

func TestAGuardThatCannotAskIsAnErrorOfTheStore(t *testing.T) {
	g := newGuarded(t)
	lock := grant(t, g.locker, "guarded", "A", time.Hour)
	ended := g.begin(pgx.ReadCommitted)
	_ = ended.Rollback(t.Context())
	readOnly, err := g.pool.BeginTx(t.Context(), pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = readOnly.Rollback(context.Background()) }()
	for title, tx := range map[string]pgx.Tx{"nil": nil, "ended": ended, "read-only": readOnly} {
		if err := g.repo.Guard(t.Context(), tx, lock.Grant()); !errors.Is(err, namedlock.ErrDatabase) || errors.Is(err, namedlock.ErrOvertaken) {
			t.Errorf("%s: the guard said %v", title, err)
		}
	}
	tx := g.begin(pgx.ReadCommitted)
	_ = g.repo.Close()
	if err := g.repo.Guard(t.Context(), tx, lock.Grant()); !errors.Is(err, namedlock.ErrClosed) {
		t.Errorf("closed: the guard said %v", err)
	}
}
