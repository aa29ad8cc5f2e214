package namedlock

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

func TestFindShowsALiveLock(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		took := time.Now().UTC()
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(10 * time.Second)
		entry, found, err := locker.Find(t.Context(), "reports")
		want := Entry{
			Name: "reports", Owner: "ann", Token: lock.Token(),
			AcquiredAt: took, Deadline: took.Add(30 * time.Second), SeenAt: took.Add(10 * time.Second),
		}
		if entry != want || !found || err != nil {
			t.Errorf("got %+v, %v, %v; want %+v", entry, found, err, want)
		}
	})
}

func TestL3FindShowsALapsedLock(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(30 * time.Second)
		entry, found, err := locker.Find(t.Context(), "reports")
		if !found || err != nil || !entry.Lapsed() || entry.Owner != "ann" {
			t.Errorf("got %+v, %v, %v; want ann's lapsed lock", entry, found, err)
		}
	})
}

func TestFindOfWhatIsNotThere(t *testing.T) {
	locker := New(newStore())
	if entry, found, err := locker.Find(t.Context(), "reports"); entry != (Entry{}) || found || err != nil {
		t.Errorf("got %+v, %v, %v; want nothing", entry, found, err)
	}
}

func TestFindRefusesWhatIsNoName(t *testing.T) {
	s := newStore()
	for name, kind := range map[string]error{"": ErrInvalidName, "namedlock:x": ErrReservedName} {
		entry, found, err := New(s).Find(t.Context(), name)
		is(t, err, kind)
		if entry != (Entry{}) || found || s.asked.Load() != 0 {
			t.Errorf("got %+v, %v", entry, found)
		}
	}
}

// listing is all that a list yielded.
type listing struct {
	names []string
	err   error
	// after counts what came after the error.
	after int
}

func listed(entries iter.Seq2[Entry, error]) listing {
	var all listing
	for entry, err := range entries {
		switch {
		case all.err != nil:
			all.after++
		case err != nil && entry == Entry{}:
			all.err = err
		case err != nil:
			all.err = fmt.Errorf("beside entry %+v: %w", entry, err)
		case len(all.names) > 10_000:
			return listing{err: errors.New("the list has no end")}
		default:
			all.names = append(all.names, entry.Name)
		}
	}
	return all
}

func TestListYieldsLiveAndLapsedInByteOrder(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		for _, name := range []string{"b", "a", "ä", "B", "a/2", "a/10", "🔒"} {
			take(t, locker, name, "ann", time.Second)
		}
		time.Sleep(time.Second)
		take(t, locker, "c", "ann", time.Hour)
		got := listed(locker.List(t.Context(), ""))
		want := []string{"B", "a", "a/10", "a/2", "b", "c", "ä", "🔒"}
		if !slices.Equal(got.names, want) || got.err != nil {
			t.Errorf("got %q, %v; want %q", got.names, got.err, want)
		}
	})
}

func TestListSelectsByPrefix(t *testing.T) {
	locker := New(newStore())
	for _, name := range []string{"a", "a/", "a/1", "a0", "b", "\u00e4", "\U0010ffff1", "\U0010ffff"} {
		take(t, locker, name, "ann", time.Hour)
	}
	for prefix, want := range map[string][]string{
		"a":          {"a", "a/", "a/1", "a0"},
		"a/":         {"a/", "a/1"},
		"a/1":        {"a/1"},
		"a/1x":       nil,
		"A":          nil,
		"\U0010ffff": {"\U0010ffff", "\U0010ffff1"},
		"namedlock:": nil,
	} {
		if got := listed(locker.List(t.Context(), prefix)); !slices.Equal(got.names, want) || got.err != nil {
			t.Errorf("%q: got %q, %v; want %q", prefix, got.names, got.err, want)
		}
	}
}

func TestListReadsPageByPage(t *testing.T) {
	for rows, wantPages := range map[int]int{0: 1, 1: 1, 499: 1, 500: 2, 501: 2, 1000: 3, 1250: 3} {
		s, names := filled(t, rows)
		pages := paged(s)
		got := listed(New(s).List(t.Context(), "job/"))
		if !slices.Equal(got.names, names) || got.err != nil {
			t.Errorf("of %d rows %d were listed, %v", rows, len(got.names), got.err)
		}
		if len(*pages) != wantPages {
			t.Errorf("%d rows took %d pages, want %d", rows, len(*pages), wantPages)
		}
		for i, page := range *pages {
			if want := (ports.Page{Limit: 500, After: lastOf(names, i*500)}); page != want {
				t.Errorf("page %d was %+v, want %+v", i, page, want)
			}
		}
	}
}

// lastOf returns the last of the first n names.
func lastOf(names []string, n int) domain.Name {
	if n == 0 {
		return domain.Name{}
	}
	return domain.RestoreName(names[n-1])
}

// filled returns a store with that many locks, and their names in order.
func filled(t *testing.T, rows int) (*store, []string) {
	t.Helper()
	s := newStore()
	locker := New(s)
	var names []string
	for i := range rows {
		names = append(names, fmt.Sprintf("job/%05d", i))
		take(t, locker, names[i], "ann", time.Hour)
	}
	return s, names
}

// paged records the pages that are read.
func paged(s *store) *[]ports.Page {
	var pages []ports.Page
	s.list = func(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
		pages = append(pages, page)
		return s.Repository.List(ctx, prefix, page)
	}
	return &pages
}

func TestListStopsWhereTheLoopDoes(t *testing.T) {
	s, _ := filled(t, 1250)
	for _, wanted := range []int{1, 499, 500, 501} {
		pages := paged(s)
		seen := 0
		for range New(s).List(t.Context(), "") {
			if seen++; seen == wanted {
				break
			}
		}
		if want := (wanted + 499) / 500; seen != wanted || len(*pages) != want {
			t.Errorf("broken off after %d entries: %d seen, %d pages read, want %d", wanted, seen, len(*pages), want)
		}
	}
}

func TestListReadsNothingBeforeTheLoopAndAnewInEach(t *testing.T) {
	s, names := filled(t, 3)
	pages := paged(s)
	entries := New(s).List(t.Context(), "")
	if len(*pages) != 0 {
		t.Error("the store was asked before the loop began")
	}
	for range 2 {
		if got := listed(entries); !slices.Equal(got.names, names) {
			t.Errorf("got %q, want %q", got.names, names)
		}
	}
}

func TestListYieldsAnErrorLastAndOnce(t *testing.T) {
	s, _ := filled(t, 1250)
	s.list = func(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
		if page.After != (domain.Name{}) {
			return nil, domain.DatabaseError(errDown)
		}
		return s.Repository.List(ctx, prefix, page)
	}
	got := listed(New(s).List(t.Context(), ""))
	is(t, got.err, ErrDatabase, errDown)
	if len(got.names) != 500 || got.after != 0 {
		t.Errorf("%d entries came before the error and %d after it", len(got.names), got.after)
	}
}

func TestListOfAnInvalidPrefix(t *testing.T) {
	s := newStore()
	got := listed(New(s).List(t.Context(), "a\xff"))
	is(t, got.err, ErrInvalidName)
	if got.names != nil || got.after != 0 || s.asked.Load() != 0 {
		t.Errorf("got %+v after %d calls, want one error", got, s.asked.Load())
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	s, _ := filled(t, 1250)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for _, err := range New(s).List(ctx, "") {
		cancel()
		if err == nil {
			seen++
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if seen != 500 {
		t.Errorf("%d entries were seen, want those of the page that was read", seen)
	}
}

func TestEachEntryCarriesTheInstantAtWhichItWasSeen(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		for i := range 501 {
			take(t, locker, fmt.Sprintf("%04d", i), "ann", time.Minute)
		}
		began := time.Now()
		i := 0
		for entry, err := range locker.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			if page := time.Duration(i / 500); !entry.SeenAt.Equal(began.Add(page * 500 * time.Second)) {
				t.Fatalf("entry %d was seen at %v", i, entry.SeenAt)
			}
			time.Sleep(time.Second)
			i++
		}
	})
}
