package namedlock

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

const (
	// rarePoll is how often who waits looks again although nobody rang: a ring may be lost.
	rarePoll = time.Second
	// oftenPoll is how often it looks where nobody can ring.
	oftenPoll = 100 * time.Millisecond
	// firstRetry is the pause after the first failure of the store; it doubles up to lastRetry.
	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Second
	// longSilence is for how long a store may leave the last try unanswered before what it said earlier counts no more.
	longSilence = 500 * time.Millisecond
)

// lines are those who wait in this process, in one line for each name. Only the first of a line asks the store.
type lines struct {
	// waker tells when a name may be free; nil where the store cannot.
	waker  ports.Waker
	mu     sync.Mutex
	byName map[domain.Name]*line
}

// line is one line. What it knows of the lock belongs to its first, and is handed on to the next: a grant to the first
// spares the others their try.
type line struct {
	// turns are those behind the first, in order of arrival. Each is closed when its turn comes.
	turns []chan struct{}

	// verdict is what the store said last about the name; the zero Verdict before.
	verdict domain.Verdict
	// freed is the latest grant of the name that was given back in this process.
	freed domain.Token
	// until is when the lock that stands lapses, unless it is renewed.
	until time.Time
	// failures counts the tries that the store did not answer since, and unanswered is when the first of them began.
	failures   int
	unanswered time.Time
	// rings are the hints that the name may be free, from the first sleep on.
	rings <-chan struct{}
	stop  func()
}

// enter joins the line of the name and waits until everybody before has left.
func (l *lines) enter(ctx context.Context, name domain.Name) (*line, error) {
	q, turn := l.join(name)
	if turn == nil {
		return q, nil
	}
	select {
	case <-turn:
		return q, nil
	case <-ctx.Done():
		l.quit(name, q, turn)
		return nil, ctx.Err()
	}
}

// join returns the line, and the turn to wait for: nil for the first.
func (l *lines) join(name domain.Name) (*line, chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.byName[name]
	if q == nil {
		if l.byName == nil {
			l.byName = map[domain.Name]*line{}
		}
		q = &line{}
		l.byName[name] = q
		return q, nil
	}
	turn := make(chan struct{})
	q.turns = append(q.turns, turn)
	return q, turn
}

// quit takes one out of the line who gave up. Its turn may have come at the same moment: then the next is called.
func (l *lines) quit(name domain.Name, q *line, turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(q.turns, turn); i >= 0 {
		q.turns = slices.Delete(q.turns, i, i+1)
		return
	}
	l.advance(name, q)
}

// leave lets the next come first.
func (l *lines) leave(name domain.Name, q *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(name, q)
}

// advance calls the next, and forgets the line when nobody is left.
func (l *lines) advance(name domain.Name, q *line) {
	if q.silence() == 0 {
		q.unanswered = time.Time{} // a try that was cut short is no silence
	}
	if len(q.turns) > 0 {
		close(q.turns[0])
		q.turns = q.turns[1:]
		return
	}
	delete(l.byName, name)
	q.endWatch()
}

// endWatch ends the watch of the name, if there is one.
func (q *line) endWatch() {
	if q.stop != nil {
		q.stop()
	}
}

// ask remembers that the store is asked.
func (q *line) ask() {
	if q.unanswered.IsZero() {
		q.unanswered = time.Now()
	}
}

// isNew reports whether the store has never answered.
func (q *line) isNew() bool { return !q.verdict.Lock.Exists() }

// silence returns how long the store has left the last try unanswered, and zero while it answers as a store should.
func (q *line) silence() time.Duration {
	if q.unanswered.IsZero() {
		return 0
	}
	silence := time.Since(q.unanswered)
	if silence < longSilence {
		return 0
	}
	return silence
}

// learn keeps what the store said to the first of the line.
func (l *lines) learn(q *line, verdict domain.Verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.verdict = verdict
	q.until = time.Now().Add(verdict.At.Until(verdict.Lock.Deadline()))
	q.failures, q.unanswered = 0, time.Time{}
}

// isHeldBy reports whether, as far as the line of the name knows, the owner holds the lock that the others wait for.
func (l *lines) isHeldBy(name domain.Name, owner domain.Owner) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.byName[name]
	return q != nil && q.isHeldBy(owner) && q.verdict.Lock.Token() > q.freed
}

// free tells the line of the name that the grant ended: its owner does not pass the line any more.
func (l *lines) free(grant domain.Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.byName[grant.Name]; q != nil {
		q.freed = max(q.freed, grant.Token)
	}
}

func (q *line) isHeldBy(owner domain.Owner) bool {
	return !q.isNew() && q.verdict.Lock.Owner() == owner
}

// sleep waits until it is worth while to ask for the owner: somebody rang, the lock that stands has lapsed, or there was no
// hint for a while. It fails when ctx ends first.
func (l *lines) sleep(ctx context.Context, q *line, owner domain.Owner) error {
	if q.isNew() || q.isHeldBy(owner) && q.failures == 0 {
		return ctx.Err()
	}
	if l.waker != nil && q.stop == nil {
		q.rings, q.stop = l.waker.Watch(q.verdict.Lock.Name())
	}
	pause := l.pause(q)
	if pause <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-q.rings:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// pause returns how long to sleep at most. Pauses vary, so that processes do not look in step.
func (l *lines) pause(q *line) time.Duration {
	if q.failures > 0 {
		return varied(min(firstRetry<<min(q.failures-1, 10), lastRetry))
	}
	poll := rarePoll
	if l.waker == nil {
		poll = oftenPoll
	}
	return min(varied(poll), time.Until(q.until))
}

// varied returns a duration between three and five quarters of d.
func varied(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) }
