package main

import (
	"fmt"
	"os"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

// killAgain is how often what was just being started is ended too.
const killAgain = 50 * time.Millisecond

// supervision stands between a command at work and what may happen meanwhile.
type supervision struct {
	job     *job
	process *process.Process
	lock    *namedlock.Lock
	lost    <-chan *loss
	// tooLong tells that the command has run for as long as it may; nil if there is no bound.
	tooLong <-chan time.Time
	// kill tells that the grace is over, at killAt; nil while there is no reason to end.
	kill   <-chan time.Time
	killAt time.Time
	// reason is why the command had to end, or would have had to.
	reason error
}

// run passes signals on until the command has ended. What the command leaves behind is asked to end, and made to when the
// grace is over: the lock is held until nothing of it lives.
func (s *supervision) run(signals <-chan os.Signal) {
	exited := s.process.Exited()
	var gone <-chan struct{}
	for {
		select {
		case <-exited:
			exited, gone = nil, s.process.Gone()
			s.clear(gone)
		case <-gone:
			return
		case sig := <-signals:
			s.process.Forward(sig)
		case lost := <-s.lost:
			s.lose(lost)
		case <-s.tooLong:
			s.hurry(fmt.Errorf("it was held for --at-most %v", s.job.atMost), s.job.grace)
		case <-s.kill:
			s.process.Kill()
			s.kill = time.After(killAgain)
		}
	}
}

// clear asks what the command left behind to end.
func (s *supervision) clear(gone <-chan struct{}) {
	select {
	case <-gone:
	default:
		s.terminate(s.job.grace)
	}
}

// lose ends the command because the lock is lost, unless it may carry on.
func (s *supervision) lose(lost *loss) {
	if s.job.carryOn {
		s.tell(fmt.Errorf("%w; the command carries on", lost))
		return
	}
	s.hurry(lost, lost.grace)
}

// hurry ends the command for that reason.
func (s *supervision) hurry(reason error, grace time.Duration) {
	s.tell(reason)
	s.terminate(grace)
}

// terminate asks the command to end within the grace, or within an earlier one that is not over.
func (s *supervision) terminate(grace time.Duration) {
	s.process.Terminate()
	if at := time.Now().Add(grace); s.killAt.IsZero() || at.Before(s.killAt) {
		s.kill, s.killAt = time.After(grace), at
	}
}

// tell says why the command must end, once.
func (s *supervision) tell(reason error) {
	if s.reason == nil {
		s.reason = reason
		say(s.job.words, lossOf(s.lock, reason))
	}
}
