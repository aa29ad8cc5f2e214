package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/domain"
)

// guarded is a file with a lock in it, and the caller's own handle on the same file, with a resource.
type guarded struct {
	*testing.T
	clock  *clock
	db     *sql.DB
	repo   *sqlite.Repository
	locker *namedlock.Locker
	rival  *namedlock.Locker
	lock   *namedlock.Lock
}

// onEachTransaction runs a test with each way to begin a transaction, on each kind of journal.
func onEachTransaction(t *testing.T, test func(g guarded)) {
	for _, journal := range []string{"WAL", "DELETE"} {
		for _, begin := range []string{"deferred", "immediate", "exclusive"} {
			t.Run(journal+" "+begin, func(t *testing.T) {
				t.Parallel()
				test(newGuarded(t, "_journal_mode="+journal+"&_txlock="+begin+"&_busy_timeout=0"))
			})
		}
	}
}

func newGuarded(t *testing.T, options string) guarded {
	path, clock := newPath(t), newClock()
	db := openDB(t, path, options)
	repo := onHandle(t, db, clock)
	if _, err := db.Exec("CREATE TABLE resource (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	locker := namedlock.New(repo)
	rival := namedlock.New(onHandle(t, openDB(t, path, options), clock))
	return guarded{t, clock, db, repo, locker, rival, grant(t, locker, "guarded", "A", time.Hour)}
}

// begin begins a transaction of the caller.
func (g guarded) begin() *sql.Tx {
	g.Helper()
	tx, err := g.db.BeginTx(context.Background(), nil)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

// writes lets a transaction write to the resource and ends it.
func (g guarded) writes(tx *sql.Tx) {
	g.Helper()
	_, err := tx.Exec("INSERT INTO resource VALUES (1)")
	if err = errors.Join(err, tx.Commit()); err != nil {
		g.Fatal(err)
	}
}

// Guard first: the takeover waits. Fails without BecomeWriter, where the transaction was not the writer before.
func TestGuardKeepsATakeoverWaitingUntilTheTransactionEnds(t *testing.T) {
	onEachTransaction(t, func(g guarded) {
		tx := g.begin()
		if err := g.repo.Guard(g.Context(), tx, g.lock.Grant()); err != nil {
			g.Fatal(err)
		}
		g.clock.advance(time.Hour)
		impatient, cancel := context.WithTimeout(g.Context(), 50*time.Millisecond)
		defer cancel()
		if lock, _, err := g.rival.TryLock(impatient, "guarded", "B", time.Hour); lock != nil || !errors.Is(err, namedlock.ErrDatabase) {
			g.Errorf("beside the guarded transaction a rival got %v, %v", lock, err)
		}
		g.writes(tx)
		grant(g.T, g.rival, "guarded", "B", time.Hour)
	})
}

// Takeover first: the guard refuses.
func TestGuardRefusesWhoWasOvertaken(t *testing.T) {
	endings := map[string]func(g guarded){
		"lapsed":   func(g guarded) { g.clock.advance(time.Hour) },
		"released": func(g guarded) { _, _ = g.lock.Release(g.Context()) },
		"broken":   func(g guarded) { _, _ = g.rival.Break(g.Context(), "guarded", g.lock.Token()) },
		"taken over": func(g guarded) {
			g.clock.advance(time.Hour)
			grant(g.T, g.rival, "guarded", "B", time.Hour)
		},
		"granted anew to the same owner": func(g guarded) {
			_, _ = g.lock.Release(g.Context())
			grant(g.T, g.rival, "guarded", "A", time.Hour)
		},
	}
	for title, end := range endings {
		t.Run(title, func(t *testing.T) {
			onEachTransaction(t, func(g guarded) {
				end(g)
				err := g.repo.Guard(g.Context(), g.begin(), g.lock.Grant())
				if !errors.Is(err, namedlock.ErrOvertaken) || errors.Is(err, namedlock.ErrDatabase) {
					g.Errorf("the guard said %v", err)
				}
			})
		})
	}
}

// A transaction that has read, and was overtaken then, may be told so or called busy. It must not go on.
func TestGuardRefusesATransactionWhoseViewIsOld(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "_journal_mode=WAL&_txlock=deferred&_busy_timeout=0")
	tx := g.begin()
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM resource").Scan(&n); err != nil {
		t.Fatal(err)
	}
	g.clock.advance(time.Hour)
	grant(t, g.rival, "guarded", "B", time.Hour)
	began := time.Now()
	err := g.repo.Guard(t.Context(), tx, g.lock.Grant())
	if !errors.Is(err, namedlock.ErrOvertaken) && !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("the guard said %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v to say so", took)
	}
}

// A guard that has to wait for another writer judges by the clock after the wait.
func TestM3AGuardThatWaitedBeyondTheDeadlineRefuses(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "_journal_mode=WAL&_txlock=deferred&_busy_timeout=0")
	writer, err := g.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := writer.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	tx := g.begin()
	guarding := call(func() error { return g.repo.Guard(context.Background(), tx, g.lock.Grant()) })
	select {
	case err := <-guarding:
		t.Fatalf("it did not wait for the writer: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	g.clock.advance(time.Hour)
	if _, err := writer.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-guarding; !errors.Is(err, namedlock.ErrOvertaken) {
		t.Errorf("the guard said %v", err)
	}
}

func TestGuardSpeaksForOneGrantOnly(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "_journal_mode=WAL")
	for title, change := range map[string]func(*domain.Grant){
		"an earlier token": func(g *domain.Grant) { g.Token-- },
		"a later token":    func(g *domain.Grant) { g.Token++ },
		"another owner":    func(g *domain.Grant) { g.Owner = domain.RestoreOwner("B") },
		"another name":     func(g *domain.Grant) { g.Name = domain.RestoreName("other") },
		"no grant":         func(g *domain.Grant) { *g = domain.Grant{} },
	} {
		stranger := g.lock.Grant()
		change(&stranger)
		tx := g.begin()
		if err := g.repo.Guard(t.Context(), tx, stranger); !errors.Is(err, namedlock.ErrOvertaken) {
			t.Errorf("%s: the guard said %v", title, err)
		}
		_ = tx.Rollback()
	}
}

func TestL12AGuardedTransactionThatIsRolledBackLeavesTheLockAsItIs(t *testing.T) {
	onEachTransaction(t, func(g guarded) {
		tx := g.begin()
		err := errors.Join(g.repo.Guard(g.Context(), tx, g.lock.Grant()), tx.Rollback())
		if got := answerOf(g.lock.Renew(g.Context(), time.Hour)); got != (answer{ok: true}) || err != nil {
			g.Errorf("renewed %+v, %v", got, err)
		}
	})
}

func TestAGuardThatCannotAskIsAnErrorOfTheStore(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "_journal_mode=WAL")
	ended := g.begin()
	_ = ended.Rollback()
	for title, tx := range map[string]*sql.Tx{"nil": nil, "ended": ended} {
		if err := g.repo.Guard(t.Context(), tx, g.lock.Grant()); !errors.Is(err, namedlock.ErrDatabase) || errors.Is(err, namedlock.ErrOvertaken) {
			t.Errorf("%s: the guard said %v", title, err)
		}
	}
	tx := g.begin()
	_ = g.repo.Close()
	if err := g.repo.Guard(t.Context(), tx, g.lock.Grant()); !errors.Is(err, namedlock.ErrClosed) {
		t.Errorf("closed: the guard said %v", err)
	}
}
