package namedlock

import (
	"context"
	"sync"

	"github.com/alkstore/namedlock/domain"
)

// asker is one owner who asks for one name.
type asker struct {
	name  domain.Name
	owner domain.Owner
}

// askers let one call at a time speak for each asker: calls of one owner share a grant (L5), and what one of them got whose
// answer was lost must not be taken back when another was granted it (M8).
type askers struct {
	mu     sync.Mutex
	closed bool
	// speaking holds each asker for whom a call speaks: nil while there is one call and nobody else.
	speaking map[asker]*turns
	// withdrawals are the attempts, under way, to take back what lost calls got.
	withdrawals sync.WaitGroup
}

// turns are those who speak for one asker, one after the other.
type turns struct {
	// turn is full while one of them speaks.
	turn chan struct{}
	// members counts who speaks or waits, lost claims among them.
	members int
	// granted are the claims whose grants somebody was given since the first of them came.
	granted map[domain.ClaimID]bool
}

// enter waits until nobody else speaks for the asker.
func (a *askers) enter(ctx context.Context, who asker) error {
	t := a.join(who)
	if t == nil {
		return nil
	}
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		a.quit(who)
		return ctx.Err()
	}
}

// join makes the call a member, and returns the turns to wait for; nil when it is alone, and speaks.
func (a *askers) join(who asker) *turns {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.speaking == nil {
		a.speaking = map[asker]*turns{}
	}
	if _, taken := a.speaking[who]; !taken {
		a.speaking[who] = nil
		return nil
	}
	t := a.shared(who)
	t.members++
	return t
}

// shared returns the turns of an asker for whom a call speaks already.
func (a *askers) shared(who asker) *turns {
	t := a.speaking[who]
	if t == nil {
		t = &turns{turn: make(chan struct{}, 1), members: 1, granted: map[domain.ClaimID]bool{}}
		t.turn <- struct{}{}
		a.speaking[who] = t
	}
	return t
}

// leave ends the turn of a call, and remembers what it was granted for as long as there are others.
func (a *askers) leave(who asker, verdict domain.Verdict) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.speaking[who]
	if t != nil {
		<-t.turn
		if verdict.Granted {
			t.granted[verdict.Lock.Claim()] = true
		}
	}
	a.remove(who, t)
}

// quit ends the membership of one who does not speak.
func (a *askers) quit(who asker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(who, a.speaking[who])
}

// remove takes one member out, and forgets the asker with the last.
func (a *askers) remove(who asker, t *turns) {
	if t != nil {
		t.members--
	}
	if t == nil || t.members == 0 {
		delete(a.speaking, who)
	}
}

// lose begins, while the call that was lost still speaks, to take back what it may have got. After Close none begins.
func (a *askers) lose(who asker, withdraw func(*turns)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	t := a.shared(who)
	t.members++
	a.withdrawals.Go(func() {
		defer a.quit(who)
		withdraw(t)
	})
}

// isGranted reports whether somebody who speaks for the asker was given the grant of the claim.
func (a *askers) isGranted(t *turns, claim domain.Claim) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return t.granted[claim.ID]
}

// finish lets no withdrawal begin any more and waits for those under way.
func (a *askers) finish() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.withdrawals.Wait()
}
