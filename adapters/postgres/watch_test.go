package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/domain"
)

// moment is long enough for anything that is sure to happen.
const moment = 20 * time.Second

// watched is the number of names that sessions of the application wait for.
const watched = `SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND mode = 'ShareLock' AND application_name = $1`

// rings fails unless the bell rings, and then empties it.
func rings(t *testing.T, bell <-chan struct{}) {
	t.Helper()
	select {
	case <-bell:
	case <-time.After(moment):
		t.Fatal("nobody rang")
	}
}

// newRepository returns a repository on a pool whose sessions have the name of the schema.
func newRepository(t *testing.T, schema, url string, logger *slog.Logger) *postgres.Repository {
	t.Helper()
	repo, err := postgres.New(poolThrough(t, named(url, schema)), postgres.Config{Schema: schema, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return repo
}

// hears returns the names that a foreign listener was notified of up to now.
func hears(t *testing.T, foreign *pgx.Conn) []string {
	t.Helper()
	must(t, foreign, "NOTIFY namedlock, 'that is all'")
	ctx, cancel := context.WithTimeout(t.Context(), moment)
	defer cancel()
	var heard []string
	for {
		notification, err := foreign.WaitForNotification(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if notification.Payload == "that is all" {
			return heard
		}
		if strings.HasPrefix(notification.Payload, "of this test/") {
			heard = append(heard, notification.Payload)
		}
	}
}

func TestARemovalNotifiesOnlyWhereSomebodyWaitsForItsName(t *testing.T) {
	schema, foreign, admin := newSchema(t), connect(t), connect(t)
	must(t, foreign, "LISTEN namedlock")
	repo := newRepository(t, schema, server(t), nil)
	locker := namedlock.New(repo)
	release := func(name string) {
		t.Helper()
		if released, err := grant(t, locker, name, "A", time.Minute).Release(t.Context()); !released || err != nil {
			t.Fatal(released, err)
		}
	}

	release("of this test/a")
	if heard := hears(t, foreign); len(heard) > 0 {
		t.Errorf("nobody waits, and still %q was told", heard)
	}

	bell, stop := repo.Watch(domain.RestoreName("of this test/a"))
	rings(t, bell)
	release("of this test/a")
	rings(t, bell)
	broken := grant(t, locker, "of this test/a", "A", time.Minute)
	if ok, err := locker.Break(t.Context(), broken.Name(), broken.Token()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	rings(t, bell)
	release("of this test/b")
	if heard := hears(t, foreign); fmt.Sprint(heard) != "[of this test/a of this test/a]" {
		t.Errorf("%q was told, want only what somebody waits for", heard)
	}

	stop()
	stop()
	until(t, admin, "SELECT ("+watched+") = 0", schema)
	release("of this test/a")
	if heard := hears(t, foreign); len(heard) > 0 {
		t.Errorf("nobody waits any more, and still %q was told", heard)
	}
}

func TestTheListenerIsOneConnectionThatIsGoneWhenNobodyWaits(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	repo := newRepository(t, schema, server(t), nil)
	const sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1"
	if got := ask[int](t, admin, sessions, schema); got != 0 {
		t.Fatalf("%d connections before anything", got)
	}
	var stops []func()
	for i := range 50 {
		bell, stop := repo.Watch(domain.RestoreName(fmt.Sprint("job ", i)))
		rings(t, bell)
		stops = append(stops, stop)
	}
	if got := ask[int](t, admin, sessions, schema); got != 1 {
		t.Errorf("%d connections for all who wait, want one", got)
	}
	if got := ask[int](t, admin, watched, schema); got != 50 {
		t.Errorf("%d names are announced, want 50", got)
	}
	for _, stop := range stops {
		stop()
	}
	until(t, admin, "SELECT ("+sessions+") = 0", schema)
	bell, stop := repo.Watch(domain.RestoreName("again"))
	defer stop()
	rings(t, bell)
}

// Each announced name takes room in the server, so there is an end to it, but not to being told.
func TestThereIsAnEndToAnnouncingButNotToWaiting(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	repo := newRepository(t, schema, server(t), nil)
	var bells []<-chan struct{}
	var stops []func()
	for i := range 400 {
		bell, stop := repo.Watch(domain.RestoreName(fmt.Sprint("job ", i)))
		t.Cleanup(stop)
		bells, stops = append(bells, bell), append(stops, stop)
	}
	for _, bell := range bells {
		rings(t, bell)
	}
	until(t, admin, "SELECT ("+watched+") = 256", schema)
	for _, stop := range stops[:200] {
		stop()
	}
	until(t, admin, "SELECT ("+watched+") = 200", schema)
}

func TestAListenerThatIsCutOffComesBack(t *testing.T) {
	for what, cutOff := range map[string]func(t *testing.T, p *proxy, admin *pgx.Conn, schema string){
		"by the server": func(t *testing.T, _ *proxy, admin *pgx.Conn, schema string) {
			must(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", schema)
		},
		"by the network": func(_ *testing.T, p *proxy, _ *pgx.Conn, _ string) { p.cut() },
	} {
		t.Run(what, func(t *testing.T) {
			schema, admin := newSchema(t), connect(t)
			p, url := newProxy(t)
			var log buffer
			repo := newRepository(t, schema, url, slog.New(slog.NewTextHandler(&log, nil)))
			other := newLocker(t, openPool(t), schema)
			bell, stop := repo.Watch(domain.RestoreName("x"))
			defer stop()
			rings(t, bell)
			for range 5 {
				cutOff(t, p, admin, schema)
				rings(t, bell) // the loss itself
				until(t, admin, "SELECT ("+watched+") = 1", schema)
				rings(t, bell) // in force again
				lock := grant(t, other, "x", "A", time.Minute)
				if released, err := lock.Release(t.Context()); !released || err != nil {
					t.Fatal(released, err)
				}
				rings(t, bell)
			}
			if told := strings.Count(log.String(), "level=WARN"); told != 5 {
				t.Errorf("the log tells of %d outages, want 5:\n%s", told, &log)
			}
		})
	}
}

// buffer is a log that is written and read at the same time.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestAnOutageIsLoggedOnce(t *testing.T) {
	p, url := newProxy(t)
	var log buffer
	repo := newRepository(t, newSchema(t), url, slog.New(slog.NewTextHandler(&log, nil)))
	p.goDown()
	bell, stop := repo.Watch(domain.RestoreName("x"))
	defer stop()
	for range 3 {
		rings(t, bell)
	}
	p.comeBack()
	if told := strings.Count(log.String(), "level=WARN"); told != 1 {
		t.Errorf("the log tells of %d outages, want 1:\n%s", told, &log)
	}
}

func TestBehindAPoolerPollingCarriesOnAndTheLogSaysSoOnce(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	p, url := newProxy(t)
	p.disguised = true
	var log buffer
	repo := newRepository(t, schema, url, slog.New(slog.NewTextHandler(&log, nil)))
	locker := namedlock.New(repo)
	held := grant(t, locker, "x", "A", time.Minute)

	for range 3 {
		waiting := call(func() error {
			lock, err := locker.Lock(context.Background(), "x", "B", time.Minute)
			if err == nil {
				_, err = lock.Release(context.Background())
			}
			return err
		})
		for range 5 {
			bell, stop := repo.Watch(domain.RestoreName("x"))
			rings(t, bell)
			stop()
		}
		if got := ask[int](t, admin, watched, schema); got != 0 {
			t.Errorf("%d locks are left in sessions that others use", got)
		}
		if _, err := held.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-waiting; err != nil {
			t.Fatal(err)
		}
		held = grant(t, locker, "x", "A", time.Minute)
	}
	if told := strings.Count(log.String(), "pooler"); told != 1 {
		t.Errorf("the log tells of the pooler %d times, want once:\n%s", told, &log)
	}
}

func TestAWatchOfAClosedRepositoryIsToldSo(t *testing.T) {
	repo := newRepository(t, newSchema(t), server(t), nil)
	before, stop := repo.Watch(domain.RestoreName("x"))
	defer stop()
	rings(t, before)
	if err := repo.Close(); err != nil {
		t.Fatal(err)
	}
	rings(t, before)
	after, stop := repo.Watch(domain.RestoreName("x"))
	defer stop()
	rings(t, after)
}
