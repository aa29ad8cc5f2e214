package namedlock

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

const (
	// batchSize is how many renewals are sent together at most.
	batchSize = 1000
	// longestAttempt is how long a renewal may take.
	longestAttempt = 10 * time.Second
	// longestRetry is the longest pause before the next attempt.
	longestRetry = time.Second
)

// errBusy tells that somebody else holds up the row of a lock.
var errBusy = errors.New("somebody is busy with the row")

// attemptBound is how long one attempt may take: short enough for several before the time is up.
func attemptBound(ttl domain.TTL) time.Duration { return min(ttl.Duration()/6, longestAttempt) }

// retryPause is the time between two attempts.
func retryPause(ttl domain.TTL) time.Duration {
	return min(max(ttl.Duration()/30, time.Millisecond), longestRetry)
}

// renewDue sends renewals for the locks. Locks of about the same ttl share batches, so that none is held to the bound of a
// much shorter one; where the store knows no batches each is sent alone. Nobody waits here.
func (l *Locker) renewDue(due []*keeping) {
	if _, batches := l.repo.(ports.BatchRenewer); !batches {
		for _, kept := range due {
			go l.renewOne(kept)
		}
		return
	}
	alike := map[int][]*keeping{}
	for _, kept := range due {
		size := bits.Len64(uint64(kept.lock.ttl.Micros()))
		alike[size] = append(alike[size], kept)
	}
	for _, group := range alike {
		go l.renewGroup(group)
	}
}

// renewOne asks for one renewal.
func (l *Locker) renewOne(kept *keeping) {
	ctx, cancel := context.WithTimeout(context.Background(), attemptBound(kept.lock.ttl))
	defer cancel()
	started := l.now()
	verdict, err := l.repo.Renew(ctx, kept.lock.grant, kept.lock.ttl)
	l.renewed(kept, verdict, err, started)
	l.keeper.hasten()
}

// renewGroup sends one batch after the other, so that a crowd takes one connection and not all. After one that failed the
// rest is not sent but tried again, as it would come too late behind a store that hangs.
func (l *Locker) renewGroup(group []*keeping) {
	var failure error
	for batch := range slices.Chunk(group, batchSize) {
		failure = l.renewBatch(batch, failure)
	}
}

// renewBatch asks for the renewals of a batch in one call, unless a call before it failed, and returns its failure.
func (l *Locker) renewBatch(batch []*keeping, failure error) error {
	started := l.now()
	answers, err := make([]ports.Renewed, len(batch)), failure
	if failure == nil {
		answers, err = l.askBatch(batch)
	}
	if err == nil && len(answers) != len(batch) {
		err = fmt.Errorf("the store gave %d answers to %d renewals", len(answers), len(batch))
	}
	if err != nil {
		answers = make([]ports.Renewed, len(batch))
	}
	for i, kept := range batch {
		switch {
		case failure != nil:
			l.renewed(kept, domain.Verdict{}, ports.NoEffect(failure), started)
		case answers[i].Undecided:
			l.renewed(kept, domain.Verdict{}, ports.NoEffect(errBusy), started)
		default:
			l.renewed(kept, answers[i].Verdict, err, started)
		}
	}
	l.keeper.hasten()
	return err
}

// askBatch sends one batch. It is bounded by the shortest ttl in it.
func (l *Locker) askBatch(batch []*keeping) ([]ports.Renewed, error) {
	bound := longestAttempt
	renewals := make([]ports.Renewal, len(batch))
	for i, kept := range batch {
		bound = min(bound, attemptBound(kept.lock.ttl))
		renewals[i] = ports.Renewal{Grant: kept.lock.grant, TTL: kept.lock.ttl}
	}
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	return l.repo.(ports.BatchRenewer).RenewBatch(ctx, renewals)
}

// renewed keeps the answer for a lock. One that was lost meanwhile is never kept again: what came too late is given back.
func (l *Locker) renewed(kept *keeping, verdict domain.Verdict, err error, started time.Time) {
	kept.lock.answer(verdict, err, kept.lock.ttl, started)
	kept.lock.endTurn()
	l.keeper.answered(kept, err, l.now())
	if verdict.Granted && l.keeper.isLost(kept) && l.works.begin() {
		go l.giveBack(kept)
	}
}

// giveBack releases a lock that was renewed after it had been declared lost: when its work has ended, or when the work had
// all the time that it was promised.
func (l *Locker) giveBack(kept *keeping) {
	defer l.works.done()
	if left := kept.lapsesAt.Sub(l.now()); left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-kept.stopped:
		}
	}
	_, _ = kept.lock.Release(context.Background())
}
