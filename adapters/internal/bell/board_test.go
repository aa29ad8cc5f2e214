package bell

import (
	"slices"
	"sync"
	"testing"

	"github.com/alkstore/namedlock/domain"
)

var (
	reports = domain.RestoreName("reports")
	backup  = domain.RestoreName("backup")
)

// rang reports whether a watcher has a value to fetch, and fetches it.
func rang(rings <-chan struct{}) bool {
	select {
	case <-rings:
		return true
	default:
		return false
	}
}

func TestARingReachesEverybodyWhoWatchesTheName(t *testing.T) {
	var board Board
	first, stopFirst := board.Watch(reports)
	second, stopSecond := board.Watch(reports)
	other, stopOther := board.Watch(backup)
	defer stopFirst()
	defer stopSecond()
	defer stopOther()

	board.Ring(reports)
	if !rang(first) || !rang(second) || rang(other) {
		t.Error("a ring did not reach those who watch its name, and no others")
	}
	board.RingAll()
	if !rang(first) || !rang(second) || !rang(other) {
		t.Error("a ring for all did not reach all")
	}
}

func TestRingsThatNobodyFetchedAreOne(t *testing.T) {
	var board Board
	rings, stop := board.Watch(reports)
	defer stop()
	for range 3 {
		board.Ring(reports)
	}
	if !rang(rings) || rang(rings) {
		t.Error("three rings are not one value")
	}
}

func TestAWatchEndsAloneAndMayEndTwice(t *testing.T) {
	var board Board
	ended, end := board.Watch(reports)
	stays, stop := board.Watch(reports)
	end()
	end()
	board.Ring(reports)
	if rang(ended) || !rang(stays) {
		t.Error("the end of one watch is not that of this one alone")
	}
	if names := board.Names(); !slices.Equal(names, []domain.Name{reports}) || board.Empty() {
		t.Errorf("%v are watched, want the one name", names)
	}
	stop()
	if names := board.Names(); len(names) > 0 || !board.Empty() {
		t.Errorf("%v are remembered after the last watch", names)
	}
}

func TestABoardThatNobodyWatchesMayRing(t *testing.T) {
	var board Board
	board.Ring(reports)
	board.RingAll()
	if rings, stop := board.Watch(reports); rang(rings) {
		t.Error("a ring from before was heard")
	} else {
		stop()
	}
}

func TestWatchesComeAndGoWhileItRings(t *testing.T) {
	var board Board
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for range 1000 {
				rings, stop := board.Watch(reports)
				board.Ring(reports)
				if !rang(rings) {
					t.Error("a watcher did not hear its own ring")
				}
				stop()
			}
		})
	}
	crowd.Wait()
	if !board.Empty() {
		t.Error("watches are left")
	}
}
