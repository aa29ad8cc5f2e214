// Package handoff measures how long a lock that is released lies free until the next of those who wait for it has it.
package handoff

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/bench/internal/stores"
)

const (
	// waiters is how many want the lock in one process, and processes how many processes, with one each.
	waiters, processes = 32, 8
	// hold is how long each keeps the lock, and rest how long it asks for nothing after that.
	hold, rest = 2 * time.Millisecond, 10 * time.Millisecond
)

// turn is one holding of the lock, in nanoseconds of this machine's clock.
type turn struct {
	Asked, Granted, Releasing, Released int64
}

func BenchmarkHandoff(b *testing.B) {
	for _, kind := range []string{"memory", "sqlite", "postgres"} {
		b.Run(kind+"/one_process", func(b *testing.B) { report(b, inOneProcess(b, stores.Fresh(b, kind))) })
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(kind+"/processes", func(b *testing.B) { report(b, amongProcesses(b, stores.Fresh(b, kind))) })
	}
}

// inOneProcess lets goroutines of one Locker take turns.
func inOneProcess(b *testing.B, place stores.Place) []turn {
	locker, err := stores.Open(b.Context(), place)
	if err != nil {
		b.Fatal(err)
	}
	defer locker.Close()
	crowd := make(chan done, waiters)
	for i := range waiters {
		go func() { crowd <- takeTurns(locker, fmt.Sprint("waiter ", i), b.N/waiters+2) }()
	}
	all := make([]done, waiters)
	for i := range all {
		all[i] = <-crowd
	}
	return together(b, all)
}

// done is what one waiter did.
type done struct {
	turns []turn
	err   error
}

// takeTurns holds the lock n times.
func takeTurns(locker *namedlock.Locker, owner string, n int) done {
	turns := make([]turn, 0, n)
	for range n {
		t, err := takeTurn(locker, owner)
		if err != nil {
			return done{turns, err}
		}
		turns = append(turns, t)
		<-time.After(rest)
	}
	return done{turns: turns}
}

func takeTurn(locker *namedlock.Locker, owner string) (turn, error) {
	ctx := context.Background()
	asked := now()
	lock, err := locker.Lock(ctx, "office", owner, time.Minute)
	if err != nil {
		return turn{}, err
	}
	granted := now()
	<-time.After(hold)
	releasing := now()
	_, err = lock.Release(ctx)
	return turn{asked, granted, releasing, now()}, err
}

func now() int64 { return time.Now().UnixNano() }

// together returns the turns of all in their order, as long as all took part.
func together(b *testing.B, all []done) []turn {
	var turns []turn
	end := int64(0)
	for _, one := range all {
		if one.err != nil {
			b.Fatal(one.err)
		}
		turns = append(turns, one.turns...)
		if last := one.turns[len(one.turns)-1].Released; end == 0 || last < end {
			end = last
		}
	}
	slices.SortFunc(turns, func(x, y turn) int { return int(x.Granted - y.Granted) })
	return slices.DeleteFunc(turns, func(t turn) bool { return t.Granted > end })
}

// report tells how long it took from the begin of each release, and from its end, to the next grant, where the next had
// been waiting by then.
func report(b *testing.B, turns []turn) {
	var fromBegin, fromEnd []time.Duration
	for i := 1; i < len(turns); i++ {
		before, next := turns[i-1], turns[i]
		if next.Asked < before.Releasing {
			fromBegin = append(fromBegin, time.Duration(next.Granted-before.Releasing))
			fromEnd = append(fromEnd, time.Duration(max(0, next.Granted-before.Released)))
		}
	}
	if len(fromBegin) == 0 {
		b.Skip("in so few turns nobody waited: let it run for longer")
	}
	slices.Sort(fromBegin)
	slices.Sort(fromEnd)
	for _, percent := range []int{50, 90, 99} {
		b.ReportMetric(milliseconds(fromEnd, percent), fmt.Sprintf("p%d-ms", percent))
	}
	b.ReportMetric(milliseconds(fromBegin, 50), "p50-with-release-ms")
	b.ReportMetric(0, "ns/op")
}

// milliseconds returns the value below which that many percent of the sorted ones lie.
func milliseconds(sorted []time.Duration, percent int) float64 {
	return float64(sorted[(len(sorted)-1)*percent/100]) / float64(time.Millisecond)
}
