package namedlock

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

func TestBreakEndsTheGrantThatWasSeen(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		seen := lose(t, locker, "reports", "bob")
		breaks(t, locker, "reports", seen.Token, true)
		breaks(t, locker, "reports", seen.Token, false)
		successor := take(t, locker, "reports", "bob", time.Hour)
		if successor.Token() <= lock.Token() {
			t.Errorf("token %d follows %d", successor.Token(), lock.Token())
		}
		renews(t, lock, time.Hour, false)
		releases(t, lock, false)
		renews(t, successor, time.Hour, true)
	})
}

func TestBreakLeavesEveryOtherGrantAlone(t *testing.T) {
	locker := New(newStore())
	lock := take(t, locker, "reports", "ann", time.Hour)
	breaks(t, locker, "reports", lock.Token()-1, false)
	breaks(t, locker, "reports", lock.Token()+1, false)
	breaks(t, locker, "reports", 0, false)
	breaks(t, locker, "unknown", lock.Token(), false)
	renews(t, lock, time.Hour, true)
}

func TestBreakRemovesALapsedRow(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Second)
		time.Sleep(time.Hour)
		breaks(t, locker, "reports", lock.Token(), true)
		if _, found := stands(t, s, "reports"); found {
			t.Error("the row is still there")
		}
	})
}

func TestBreakRefusesWhatIsNoName(t *testing.T) {
	s := newStore()
	for name, kind := range map[string]error{" ": ErrInvalidName, "namedlock:x": ErrReservedName} {
		broken, err := New(s).Break(t.Context(), name, 1)
		is(t, err, kind)
		if broken || s.asked.Load() != 0 {
			t.Errorf("%q: broken is %v after %d calls", name, broken, s.asked.Load())
		}
	}
}

func breaks(t *testing.T, locker *Locker, name string, token Token, want bool) {
	t.Helper()
	if broken, err := locker.Break(t.Context(), name, token); broken != want || err != nil {
		t.Errorf("breaking %q, token %d, is %v, %v; want %v", name, token, broken, err, want)
	}
}

func TestPurgeRemovesWhatLapsedLongEnoughAgo(t *testing.T) {
	for lapsedFor, want := range map[time.Duration]int{
		0:                             3,
		time.Second:                   3,
		time.Second + time.Nanosecond: 2,
		11 * time.Second:              2,
		12 * time.Second:              1,
		time.Hour:                     0,
		math.MaxInt64:                 0,
	} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			for i, ttl := range []time.Duration{8 * time.Second, 9 * time.Second, 19 * time.Second, 21 * time.Second} {
				take(t, locker, fmt.Sprint(i), "ann", ttl)
			}
			time.Sleep(20 * time.Second)
			purges(t, locker, lapsedFor, want)
			if _, found := stands(t, s, "3"); !found {
				t.Errorf("a purge of %v took a live lock", lapsedFor)
			}
		})
	}
}

func TestM2TokensDoNotGoBackAfterAPurge(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		before := take(t, locker, "reports", "ann", time.Second)
		time.Sleep(time.Second)
		purges(t, locker, 0, 1)
		if after := take(t, locker, "reports", "ann", time.Second); after.Token() <= before.Token() {
			t.Errorf("token %d follows %d", after.Token(), before.Token())
		}
	})
}

func TestPurgeWorksPageByPage(t *testing.T) {
	for rows, wantPages := range map[int]int{0: 1, 999: 1, 1000: 2, 1001: 2, 2500: 3} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			for i := range rows {
				take(t, locker, fmt.Sprintf("%05d", i), "ann", time.Second)
			}
			take(t, locker, "live", "ann", time.Hour)
			time.Sleep(time.Second)
			pages := 0
			s.purge = func(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
				pages++
				if page.Limit != 1000 {
					t.Errorf("a page had %d rows", page.Limit)
				}
				return s.Repository.Purge(ctx, age, page)
			}
			purges(t, locker, 0, rows)
			if pages != wantPages {
				t.Errorf("%d rows took %d pages, want %d", rows, pages, wantPages)
			}
		})
	}
}

// A page may look at rows that it does not remove, because somebody is busy with them.
func TestPurgeGoesOnBehindTheLastNameThatAPageLookedAt(t *testing.T) {
	s := newStore()
	answers := []ports.Purged{
		{Removed: 0, Last: domain.RestoreName("d")},
		{Removed: 3, Last: domain.RestoreName("g")},
		{Removed: 1},
	}
	var after []string
	s.purge = func(_ context.Context, _ domain.Age, page ports.Page) (ports.Purged, error) {
		after = append(after, page.After.String())
		return answers[len(after)-1], nil
	}
	purges(t, New(s), 0, 4)
	if fmt.Sprint(after) != "[ d g]" {
		t.Errorf("pages began after %q", after)
	}
}

func TestPurgeTellsHowManyAreGoneBesideAnError(t *testing.T) {
	s := newStore()
	pages := 0
	s.purge = func(context.Context, domain.Age, ports.Page) (ports.Purged, error) {
		if pages++; pages == 3 {
			return ports.Purged{}, domain.DatabaseError(errDown)
		}
		return ports.Purged{Removed: 1000, Last: domain.RestoreName("x")}, nil
	}
	removed, err := New(s).Purge(t.Context(), 0)
	is(t, err, ErrDatabase, errDown)
	if removed != 2000 || pages != 3 {
		t.Errorf("%d are said to be gone after %d pages, want 2000 after 3", removed, pages)
	}
}

func TestPurgeEndsWithItsContext(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		for i := range 1500 {
			take(t, locker, fmt.Sprintf("%05d", i), "ann", time.Second)
		}
		time.Sleep(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		s.purge = func(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
			defer cancel()
			return s.Repository.Purge(ctx, age, page)
		}
		removed, err := locker.Purge(ctx, 0)
		is(t, err, ErrDatabase, context.Canceled)
		if removed != 1000 {
			t.Errorf("%d are said to be gone, want 1000", removed)
		}
		purges(t, locker, 0, 500)
	})
}

func TestANegativePurgeIsRefused(t *testing.T) {
	s := newStore()
	for _, lapsedFor := range []time.Duration{-1, -time.Hour, math.MinInt64} {
		removed, err := New(s).Purge(t.Context(), lapsedFor)
		is(t, err, ErrInvalidTTL, ErrDatabase)
		if removed != 0 || s.asked.Load() != 0 {
			t.Errorf("%v: %d removed after %d calls", lapsedFor, removed, s.asked.Load())
		}
	}
}

func purges(t *testing.T, locker *Locker, lapsedFor time.Duration, want int) {
	t.Helper()
	if removed, err := locker.Purge(t.Context(), lapsedFor); removed != want || err != nil {
		t.Errorf("a purge of what lapsed %v ago removed %d, %v; want %d", lapsedFor, removed, err, want)
	}
}
