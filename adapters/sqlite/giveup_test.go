package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// claimOf returns a claim of its own.
func claimOf(t testing.TB, name, owner string, d time.Duration) domain.Claim {
	t.Helper()
	n, errName := domain.NewName(name)
	o, errOwner := domain.NewOwner(owner)
	ttl, errTTL := domain.NewTTL(d)
	if err := errors.Join(errName, errOwner, errTTL); err != nil {
		t.Fatal(err)
	}
	return domain.Claim{ID: domain.ClaimID(rand.Int64()), Name: n, Owner: o, TTL: ttl}
}

// acquired returns the grant of a claim that must be granted.
func acquired(t testing.TB, repo ports.Repository, claim domain.Claim) domain.Grant {
	t.Helper()
	verdict, err := repo.Acquire(context.Background(), claim)
	if err != nil || !verdict.Granted {
		t.Fatalf("acquire %s: %+v, %v", claim.Name, verdict, err)
	}
	return verdict.Lock.Grant()
}

// writes are the operations that need the writer, on a repository that holds the claim and a lock that has lapsed.
func writes(t testing.TB, repo ports.Repository, held domain.Claim, grant domain.Grant) map[string]func(context.Context) error {
	fresh := claimOf(t, "fresh", "A", time.Hour)
	return map[string]func(context.Context) error{
		"acquire":  func(ctx context.Context) error { _, err := repo.Acquire(ctx, fresh); return err },
		"renew":    func(ctx context.Context) error { _, err := repo.Renew(ctx, grant, fresh.TTL); return err },
		"release":  func(ctx context.Context) error { _, err := repo.Release(ctx, grant); return err },
		"withdraw": func(ctx context.Context) error { _, err := repo.Withdraw(ctx, held); return err },
		"break":    func(ctx context.Context) error { _, err := repo.Break(ctx, grant.Name, grant.Token); return err },
		"purge": func(ctx context.Context) error {
			_, err := repo.Purge(ctx, domain.Age{}, ports.Page{Limit: 10})
			return err
		},
	}
}

// SQLite's own wait hears no context. Ours does, and what was given up writes nothing later and leaves nothing behind.
func TestWaitingForTheWriterEndsWithTheContext(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			path, clock := newPath(t), newClock()
			repo := way(t, path, clock)
			acquired(t, repo, claimOf(t, "lapsed", "A", time.Minute))
			clock.advance(time.Minute)
			held := claimOf(t, "held", "A", time.Minute)
			operations := writes(t, repo, held, acquired(t, repo, held))
			writer := newForeign(t, path)
			before := writer.rows()
			writer.does("BEGIN IMMEDIATE")
			for what, operation := range operations {
				givesUp(t, what, operation)
			}
			allGiveUp(t, operations)
			writer.does("COMMIT")

			nothingUnderWay(t, repo)
			if after := writer.rows(); after != before {
				t.Errorf("the table was\n%sand became\n%s", before, after)
			}
		})
	}
}

// givesUp runs an operation whose context ends while it waits.
func givesUp(t *testing.T, what string, operation func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	started := time.Now()
	err := operation(ctx)
	if took := time.Since(started); took > 400*time.Millisecond {
		t.Errorf("%s took %v, want little more than 100ms", what, took)
	}
	for _, is := range []error{context.DeadlineExceeded, domain.ErrDatabase, ports.ErrNoEffect} {
		if !errors.Is(err, is) {
			t.Errorf("%s: %v, want an error that is %q", what, err, is)
		}
	}
}

// allGiveUp runs operations at the same time, so that most of them wait for their turn.
func allGiveUp(t *testing.T, operations map[string]func(context.Context) error) {
	t.Helper()
	var all sync.WaitGroup
	for what, operation := range operations {
		all.Go(func() { givesUp(t, what+" beside others", operation) })
	}
	all.Wait()
}

// nothingUnderWay waits until every connection is back and no goroutine of the adapter runs, and fails when that takes long.
func nothingUnderWay(t *testing.T, repo *sqlite.Repository) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for bound := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		inUse := sqlite.Pool(repo).Stats().InUse
		running := string(stacks[:runtime.Stack(stacks, true)])
		if inUse == 0 && !strings.Contains(running, "adapters/sqlite.") {
			return
		}
		if time.Now().After(bound) {
			t.Fatalf("%d connections are still in use:\n%s", inUse, running)
		}
	}
}

// rows returns the table of locks as text.
func (f foreign) rows() string {
	f.t.Helper()
	rows, err := f.conn.QueryContext(context.Background(), "SELECT token, name, owner, deadline FROM namedlock_locks ORDER BY token")
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	var text strings.Builder
	for rows.Next() {
		var token, deadline int64
		var name, owner string
		if err := rows.Scan(&token, &name, &owner, &deadline); err != nil {
			f.t.Fatal(err)
		}
		fmt.Fprintln(&text, token, name, owner, deadline)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return text.String()
}
