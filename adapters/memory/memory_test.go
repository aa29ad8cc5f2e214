package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/adapters/memory"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

func TestWithoutAClockTheOneOfThisMachineJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		repo := memory.New(nil)
		granted := acquires(t, repo, claim(t, "reports", "ann", 30*time.Second))
		if want := domain.InstantOf(time.Now()); granted.AcquiredAt() != want {
			t.Errorf("the lock began at %d, want %d", granted.AcquiredAt(), want)
		}
		time.Sleep(30*time.Second - time.Microsecond)
		refuses(t, repo, claim(t, "reports", "bob", time.Second))
		time.Sleep(time.Microsecond)
		acquires(t, repo, claim(t, "reports", "bob", time.Second))
	})
}

func TestL15OneReadingOfTheClockForEachDecision(t *testing.T) {
	clock := &handClock{}
	repo := memory.New(clock)
	granted := acquires(t, repo, claim(t, "reports", "ann", time.Hour))
	reads(t, clock, "acquire", 1)
	if _, err := repo.Renew(t.Context(), granted.Grant(), ttl(t, time.Hour)); err != nil {
		t.Error(err)
	}
	reads(t, clock, "renew", 1)
	if _, err := repo.List(t.Context(), domain.Prefix{}, ports.Page{Limit: 10}); err != nil {
		t.Error(err)
	}
	reads(t, clock, "list", 1)
	if _, err := repo.Purge(t.Context(), domain.Age{}, ports.Page{Limit: 10}); err != nil {
		t.Error(err)
	}
	reads(t, clock, "purge", 1)
	if _, err := repo.Release(t.Context(), granted.Grant()); err != nil {
		t.Error(err)
	}
	reads(t, clock, "release", 0)
}

// reads fails unless the clock was read so many times since it was asked last.
func reads(t *testing.T, clock *handClock, operation string, want int64) {
	t.Helper()
	if got := clock.readings.Swap(0); got != want {
		t.Errorf("%s read the clock %d times, want %d", operation, got, want)
	}
}

// A week passes at once, renewed every ten seconds, and at its end the lock lapses like any other.
func TestAWeekOfRenewals(t *testing.T) {
	clock := &handClock{}
	repo := memory.New(clock)
	granted := acquires(t, repo, claim(t, "reports", "ann", 30*time.Second))
	const step = 10 * time.Second
	for range 7 * 24 * time.Hour / step {
		clock.Advance(step)
		verdict, err := repo.Renew(t.Context(), granted.Grant(), ttl(t, 30*time.Second))
		if !verdict.Granted || err != nil || verdict.Lock.Token() != granted.Token() {
			t.Fatalf("renewal at %v is %+v, %v", clock.Now(), verdict, err)
		}
	}
	refuses(t, repo, claim(t, "reports", "bob", time.Second))
	clock.Advance(30 * time.Second)
	if next := acquires(t, repo, claim(t, "reports", "bob", time.Second)); next.Token() <= granted.Token() {
		t.Errorf("token %d follows %d", next.Token(), granted.Token())
	}
}

func TestL3ALapsedRowStaysUntilItIsTaken(t *testing.T) {
	clock := &handClock{}
	repo := memory.New(clock)
	granted := acquires(t, repo, claim(t, "reports", "ann", 30*time.Second))
	clock.Advance(365 * 24 * time.Hour)
	sighting, err := repo.Find(t.Context(), granted.Name())
	if err != nil || sighting.Lock != granted || sighting.At != domain.InstantOf(clock.Now()) {
		t.Errorf("got %+v, %v; want the row that lapsed", sighting, err)
	}
	page, err := repo.List(t.Context(), domain.Prefix{}, ports.Page{Limit: 10})
	if err != nil || len(page) != 1 || page[0].Lock != granted {
		t.Errorf("got %+v, %v; want the row that lapsed", page, err)
	}
	if released, err := repo.Release(t.Context(), granted.Grant()); !released || err != nil {
		t.Errorf("the release of what lapsed is %v, %v", released, err)
	}
	if sighting, err := repo.Find(t.Context(), granted.Name()); err != nil || sighting != (domain.Sighting{}) {
		t.Errorf("got %+v, %v; want nothing", sighting, err)
	}
}

func TestL2ARefusalChangesNothing(t *testing.T) {
	clock := &handClock{}
	repo := memory.New(clock)
	granted := acquires(t, repo, claim(t, "reports", "ann", time.Hour))
	clock.Advance(time.Minute)
	for range 3 {
		if incumbent := refuses(t, repo, claim(t, "reports", "bob", time.Second)); incumbent != granted {
			t.Errorf("the incumbent is %+v, want %+v", incumbent, granted)
		}
	}
	if next := acquires(t, repo, claim(t, "other", "bob", time.Second)); next.Token() != granted.Token()+1 {
		t.Errorf("token %d follows %d: refusals drew numbers", next.Token(), granted.Token())
	}
}

func TestM2TokensGrowWhateverRemovedTheRow(t *testing.T) {
	remove := map[string]func(repo *memory.Repository, clock *handClock, lock domain.Lock, claim domain.Claim) error{
		"release": func(repo *memory.Repository, _ *handClock, lock domain.Lock, _ domain.Claim) error {
			_, err := repo.Release(t.Context(), lock.Grant())
			return err
		},
		"break": func(repo *memory.Repository, _ *handClock, lock domain.Lock, _ domain.Claim) error {
			_, err := repo.Break(t.Context(), lock.Name(), lock.Token())
			return err
		},
		"withdraw": func(repo *memory.Repository, _ *handClock, _ domain.Lock, claim domain.Claim) error {
			_, err := repo.Withdraw(t.Context(), claim)
			return err
		},
		"purge": func(repo *memory.Repository, clock *handClock, _ domain.Lock, _ domain.Claim) error {
			clock.Advance(time.Hour)
			_, err := repo.Purge(t.Context(), domain.Age{}, ports.Page{Limit: 10})
			return err
		},
	}
	for way, removes := range remove {
		t.Run(way, func(t *testing.T) {
			clock := &handClock{}
			repo := memory.New(clock)
			var last domain.Token
			for range 10 {
				c := claim(t, "reports", "ann", time.Minute)
				granted := acquires(t, repo, c)
				if granted.Token() <= last {
					t.Fatalf("token %d follows %d", granted.Token(), last)
				}
				last = granted.Token()
				if err := removes(repo, clock, granted, c); err != nil {
					t.Fatal(err)
				}
				if sighting, _ := repo.Find(t.Context(), granted.Name()); sighting.Lock.Exists() {
					t.Fatalf("the row is still there: %+v", sighting)
				}
			}
		})
	}
}

// Each holder is alone while it holds, and no token comes twice.
func TestL1HoldersAreAloneUnderContention(t *testing.T) {
	repo := memory.New(nil)
	var inside, grants atomic.Int32
	var tokens sync.Map
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for range 300 {
				verdict, err := repo.Acquire(t.Context(), claim(t, "reports", fmt.Sprint("owner ", i), time.Hour))
				if err != nil {
					t.Error(err)
				}
				if !verdict.Granted {
					continue
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold the lock at once", n)
				}
				if _, twice := tokens.LoadOrStore(verdict.Lock.Token(), true); twice {
					t.Errorf("token %d was given twice", verdict.Lock.Token())
				}
				grants.Add(1)
				inside.Add(-1)
				if released, err := repo.Release(t.Context(), verdict.Lock.Grant()); !released || err != nil {
					t.Errorf("the release is %v, %v", released, err)
				}
			}
		})
	}
	all.Wait()
	if grants.Load() == 0 {
		t.Error("nobody was granted anything")
	}
}

func TestEverythingAtOnce(t *testing.T) {
	repo := memory.New(nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				c := claim(t, fmt.Sprint("name ", j%5), fmt.Sprint("owner ", i), time.Millisecond)
				verdict, err := repo.Acquire(t.Context(), c)
				grant := verdict.Lock.Grant()
				_, ofRenew := repo.Renew(t.Context(), grant, ttl(t, time.Millisecond))
				_, ofFind := repo.Find(t.Context(), c.Name)
				_, ofList := repo.List(t.Context(), domain.Prefix{}, ports.Page{Limit: 3})
				_, ofWithdraw := repo.Withdraw(t.Context(), c)
				_, ofRelease := repo.Release(t.Context(), grant)
				_, ofBreak := repo.Break(t.Context(), c.Name, grant.Token)
				_, ofPurge := repo.Purge(t.Context(), domain.Age{}, ports.Page{Limit: 3})
				if err := errors.Join(err, ofRenew, ofFind, ofList, ofWithdraw, ofRelease, ofBreak, ofPurge); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestL11CloseForgetsAndRefuses(t *testing.T) {
	repo := memory.New(nil)
	c := claim(t, "reports", "ann", time.Hour)
	granted := acquires(t, repo, c)
	for range 2 {
		if err := repo.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for operation, err := range every(t.Context(), repo, c, granted.Grant()) {
		if !errors.Is(err, domain.ErrClosed) || !errors.Is(err, domain.ErrDatabase) {
			t.Errorf("%s after Close: %v", operation, err)
		}
	}
	acquires(t, memory.New(nil), claim(t, "reports", "bob", time.Hour))
}

func TestCloseWhileItIsUsed(t *testing.T) {
	repo := memory.New(nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				_, err := repo.Acquire(t.Context(), claim(t, "reports", "ann", time.Hour))
				if errors.Is(err, domain.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	if err := repo.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}

func TestAContextThatHasEndedChangesNothing(t *testing.T) {
	repo := memory.New(nil)
	c := claim(t, "reports", "ann", time.Hour)
	granted := acquires(t, repo, c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for operation, err := range every(ctx, repo, c, granted.Grant()) {
		if !errors.Is(err, ports.ErrNoEffect) || !errors.Is(err, domain.ErrDatabase) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", operation, err)
		}
	}
	if sighting, err := repo.Find(t.Context(), c.Name); sighting.Lock != granted || err != nil {
		t.Errorf("the row is %+v, %v; want %+v", sighting, err, granted)
	}
}

func TestAClosedStoreSaysSoBeforeItSaysThatTheContextEnded(t *testing.T) {
	repo := memory.New(nil)
	if err := repo.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for operation, err := range every(ctx, repo, claim(t, "reports", "ann", time.Hour), domain.Grant{}) {
		if !errors.Is(err, domain.ErrClosed) || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", operation, err)
		}
	}
}

// every calls each operation and returns its error.
func every(ctx context.Context, repo *memory.Repository, c domain.Claim, grant domain.Grant) map[string]error {
	_, ofAcquire := repo.Acquire(ctx, c)
	_, ofRenew := repo.Renew(ctx, grant, c.TTL)
	_, ofRelease := repo.Release(ctx, grant)
	_, ofWithdraw := repo.Withdraw(ctx, c)
	_, ofFind := repo.Find(ctx, c.Name)
	_, ofList := repo.List(ctx, domain.Prefix{}, ports.Page{Limit: 1})
	_, ofBreak := repo.Break(ctx, c.Name, grant.Token)
	_, ofPurge := repo.Purge(ctx, domain.Age{}, ports.Page{Limit: 1})
	return map[string]error{
		"Acquire": ofAcquire, "Renew": ofRenew, "Release": ofRelease, "Withdraw": ofWithdraw,
		"Find": ofFind, "List": ofList, "Break": ofBreak, "Purge": ofPurge,
	}
}

func TestListAndPurgePageByPage(t *testing.T) {
	clock := &handClock{}
	repo := memory.New(clock)
	for _, name := range []string{"e", "b", "d", "a", "c"} {
		acquires(t, repo, claim(t, name, "ann", time.Minute))
	}
	acquires(t, repo, claim(t, "live", "ann", time.Hour))
	clock.Advance(time.Minute)

	page := ports.Page{Limit: 2}
	var listed, purged string
	for {
		rows, err := repo.List(t.Context(), domain.Prefix{}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			listed += row.Lock.Name().String() + " "
			page.After = row.Lock.Name()
		}
		if len(rows) < page.Limit {
			break
		}
	}
	for page.After = (domain.Name{}); ; {
		done, err := repo.Purge(t.Context(), domain.Age{}, page)
		if err != nil {
			t.Fatal(err)
		}
		purged += fmt.Sprint(done.Removed, " ")
		if page.After = done.Last; page.After == (domain.Name{}) {
			break
		}
	}
	if listed != "a b c d e live " || purged != "2 2 1 " {
		t.Errorf("listed %q and purged %q", listed, purged)
	}
	refuses(t, repo, claim(t, "live", "bob", time.Minute))
}

func claim(t *testing.T, name, owner string, d time.Duration) domain.Claim {
	t.Helper()
	return domain.Claim{
		ID:    domain.ClaimID(rand.Int64()),
		Name:  domain.RestoreName(name),
		Owner: domain.RestoreOwner(owner),
		TTL:   ttl(t, d),
	}
}

func ttl(t *testing.T, d time.Duration) domain.TTL {
	t.Helper()
	window, err := domain.NewTTL(d)
	if err != nil {
		t.Fatal(err)
	}
	return window
}

// acquires returns the lock that the claim becomes.
func acquires(t *testing.T, repo *memory.Repository, claim domain.Claim) domain.Lock {
	t.Helper()
	verdict, err := repo.Acquire(t.Context(), claim)
	if !verdict.Granted || err != nil {
		t.Fatalf("%v trying %q: got %+v, %v; want a grant", claim.Owner, claim.Name, verdict, err)
	}
	return verdict.Lock
}

// refuses returns the lock that stands in the claim's way.
func refuses(t *testing.T, repo *memory.Repository, claim domain.Claim) domain.Lock {
	t.Helper()
	verdict, err := repo.Acquire(t.Context(), claim)
	if verdict.Granted || err != nil {
		t.Fatalf("%v trying %q: got %+v, %v; want a refusal", claim.Owner, claim.Name, verdict, err)
	}
	return verdict.Lock
}

// handClock is a clock that a test moves by hand. It begins in the year 1.
type handClock struct {
	readings atomic.Int64

	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.readings.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
