package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

// events are what a locker tells of, as they come.
type events chan namedlock.Event

func (e events) Observe(event namedlock.Event) {
	select {
	case e <- event:
	default:
	}
}

// next waits for an event of a kind that happens after this call.
func (e events) next(t *testing.T, kind namedlock.EventKind) {
	t.Helper()
	for len(e) > 0 {
		<-e
	}
	for bound := time.After(moment); ; {
		select {
		case event := <-e:
			if event.Kind == kind {
				return
			}
		case <-bound:
			t.Fatalf("nothing was %s", kind)
		}
	}
}

// watchedLocker returns a locker on the pool that tells what happens.
func watchedLocker(t *testing.T, pool *pgxpool.Pool, schema string) (*namedlock.Locker, events) {
	t.Helper()
	repo, err := postgres.New(pool, postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	happens := make(events, 1000)
	locker := namedlock.New(repo, namedlock.WithObserver(happens))
	t.Cleanup(func() { _ = locker.Close() })
	return locker, happens
}

// passes lets real time pass, as faults of a certain length need it.
func passes(d time.Duration) { <-time.After(d) }

// isKept fails when the context of the work has ended.
func isKept(t *testing.T, working context.Context) {
	t.Helper()
	if working.Err() != nil {
		t.Fatalf("the lock is lost: %v", context.Cause(working))
	}
}

func TestConnectionsThatAreKilledDoNotCostTheLock(t *testing.T) {
	t.Parallel()
	schema, admin := newSchema(t), connect(t)
	locker, happens := watchedLocker(t, openPool(t, "application_name="+schema), schema)
	lock := grant(t, locker, "x", "A", 10*time.Second)
	working, stop := lock.Keep(t.Context())
	defer stop()
	for range 60 {
		must(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", schema)
		passes(200 * time.Millisecond)
	}
	isKept(t, working)
	happens.next(t, namedlock.Renewed)
	stop()
	if released, err := lock.Release(t.Context()); !released || err != nil {
		t.Errorf("the release is %v, %v", released, err)
	}
}

func TestAServerThatIsStoppedForAWhile(t *testing.T) {
	t.Parallel()
	server := newPrivate(t)
	pool := poolThrough(t, server.url)
	if err := postgres.Migrate(t.Context(), pool, ""); err != nil {
		t.Fatal(err)
	}
	const ttl = 10 * time.Second
	locker, happens := watchedLocker(t, pool, "")
	lock := grant(t, locker, "x", "A", ttl)
	working, stop := lock.Keep(t.Context())
	defer stop()

	happens.next(t, namedlock.Renewed)
	server.stop()
	passes(3 * time.Second)
	server.start()
	happens.next(t, namedlock.Renewed)
	isKept(t, working)

	began := time.Now()
	server.stop()
	<-working.Done()
	if took := time.Since(began); took > ttl-ttl/10 {
		t.Errorf("the loss was declared after %v, of a ttl of %v", took, ttl)
	}
	if left := time.Until(lock.Deadline()); left <= 0 {
		t.Errorf("the loss was declared %v after somebody else could have the lock", -left)
	}
	if err := context.Cause(working); !errors.Is(err, namedlock.ErrLapsed) || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("the loss is told as %v", err)
	}
	deadline := lock.Deadline()
	server.start()
	passes(time.Until(deadline))
	entry, found, err := locker.Find(t.Context(), "x")
	if err != nil || found && entry.Deadline.After(deadline) {
		t.Errorf("it was renewed after the loss: %+v, %v, %v", entry, found, err)
	}
	grant(t, locker, "x", "B", time.Minute)
}

func TestANetworkThatFailsForLessThanTheTTLDoesNotCostTheLock(t *testing.T) {
	faults := map[string]func(*proxy){
		"slow": func(p *proxy) {
			p.slow(100 * time.Millisecond)
			passes(4 * time.Second)
			p.slow(0)
		},
		"frozen": func(p *proxy) {
			p.freeze()
			passes(3 * time.Second)
			p.thaw()
		},
		"cut": func(p *proxy) {
			for range 20 {
				p.cut()
				passes(100 * time.Millisecond)
			}
		},
		"down": func(p *proxy) {
			p.goDown()
			passes(3 * time.Second)
			p.comeBack()
		},
	}
	for what, fault := range faults {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			schema := newSchema(t)
			p, url := newProxy(t)
			locker, happens := watchedLocker(t, poolThrough(t, url), schema)
			working, stop := grant(t, locker, "x", "A", 6*time.Second).Keep(t.Context())
			defer stop()
			happens.next(t, namedlock.Renewed)
			fault(p)
			happens.next(t, namedlock.Renewed)
			isKept(t, working)
		})
	}
}

func TestARenewalInFlightDoesNotBringAReleasedLockBack(t *testing.T) {
	schema, watch := newSchema(t), connect(t)
	locker := newLocker(t, openPool(t, "application_name="+schema), schema)
	for what, statement := range foreigners {
		t.Run("behind a session that "+what, func(t *testing.T) {
			lock := grant(t, locker, "x", "A", time.Minute)
			free := busyWith(t, statement, schema)
			renewed := call(func() answer { return answerOf(lock.Renew(context.Background(), time.Hour)) })
			untilWaiting(t, watch, schema, 1)
			released := call(func() answer { return answerOf(lock.Release(context.Background())) })
			untilWaiting(t, watch, schema, 2)
			free()
			if got := <-released; got != (answer{ok: true}) {
				t.Errorf("the release is %+v", got)
			}
			if got := <-renewed; got.err != nil {
				t.Errorf("the renewal is %+v", got)
			}
			if rows := ask[int](t, watch, "SELECT count(*) FROM "+table(schema)); rows != 0 {
				t.Errorf("%d rows came back", rows)
			}
		})
	}
}

// Whatever happens to the network of the holder, its work has ended when somebody else has the lock.
func TestAPartitionNeverLetsTwoWorkAtTheSameTime(t *testing.T) {
	t.Parallel()
	const lanes, rounds, ttl = 10, 20, 3 * time.Second // its tenth, in which work has to end, is longer than a machine stalls
	schema := newSchema(t)
	free := newLocker(t, openPool(t, "pool_max_conns=20"), schema)
	var all sync.WaitGroup
	for lane := range lanes {
		p, url := newProxy(t)
		cutOff := newLocker(t, poolThrough(t, url+"&pool_max_conns=2"), schema)
		all.Go(func() {
			for round := range rounds {
				partition(t, p, cutOff, free, fmt.Sprintf("lane %d, round %d", lane, round), ttl)
			}
		})
	}
	all.Wait()
}

// insist asks until it is granted the lock: the connections may still be broken from the round before.
func insist(t *testing.T, locker *namedlock.Locker, name string, ttl time.Duration) *namedlock.Lock {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		lock, err := locker.Lock(ctx, name, namedlock.NewOwner(), ttl)
		if err == nil {
			return lock
		}
		if ctx.Err() != nil {
			t.Errorf("%s: %v", name, err)
			runtime.Goexit()
		}
	}
}

// partition is one round: the holder is cut off at some moment, and the other waits for the lock.
func partition(t *testing.T, p *proxy, cutOff, free *namedlock.Locker, name string, ttl time.Duration) {
	lock := insist(t, cutOff, name, ttl)
	working, stop := lock.Keep(context.Background())
	ended := call(func() time.Time { <-working.Done(); return time.Now() })
	granted := call(func() time.Time {
		other, err := free.Lock(context.Background(), name, "successor", time.Minute)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return time.Now()
		}
		defer other.Release(context.Background())
		return time.Now()
	})
	passes(rand.N(ttl / 2))
	breakDown, repair := p.freeze, p.thaw
	if rand.N(2) == 0 {
		breakDown, repair = p.goDown, p.comeBack
	}
	breakDown()
	end, start := <-ended, <-granted
	repair()
	stop()
	if start.Before(end) {
		t.Errorf("%s: both worked for %v", name, end.Sub(start))
	}
}
