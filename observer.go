package namedlock

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Observer hears what happens to the locks of a [Locker]: enough to log and to measure with. Give one with [WithObserver].
//
// Observe is called from the goroutine that the event happened in, several at once, and while no mutex is held: it may ask
// the Locker. It must not block: a renewal may be waiting behind it.
type Observer interface {
	Observe(Event)
}

// EventKind says what happened. More kinds may be added.
type EventKind string

// The kinds of an [Event].
const (
	// Granted: a lock was granted. Took is how long the caller waited for it.
	Granted EventKind = "granted"
	// Refused: a try met an incumbent. Who waits is refused once, however often it looks again.
	Refused EventKind = "refused"
	// AcquireFailed: the store could not answer an acquire. Who waits, or campaigns, goes on.
	AcquireFailed EventKind = "acquire failed"
	// Renewed: a renewal was granted. Took is how long the store took.
	Renewed EventKind = "renewed"
	// RenewalFailed: a renewal had no answer. A lock that is kept is tried again until its time is up.
	RenewalFailed EventKind = "renewal failed"
	// Lost: a lock that was kept, or renewed, is lost. Err is the *LostError.
	Lost EventKind = "lost"
	// Released: a lock was given back. Took is how long it was held through this handle.
	Released EventKind = "released"
	// ReleaseFailed: the store could not answer a release. The lock lapses.
	ReleaseFailed EventKind = "release failed"
)

// Event is one thing that happened to one lock.
type Event struct {
	Kind        EventKind
	Name, Owner string
	// Token is the grant's; zero where there is none.
	Token Token
	// Took is a duration, by kind.
	Took time.Duration
	// Incumbent is who refused; nil for other kinds.
	Incumbent *Incumbent
	// Err is why; nil where nothing went wrong.
	Err error
}

// LogObserver returns an Observer that logs to logger: what is usual at level debug, what the store failed to answer at
// level warn, and the loss of a lock at level error. The end of a lock because its Locker was closed, or its own holder
// released it, is usual. A nil logger is slog.Default().
func LogObserver(logger *slog.Logger) Observer {
	if logger == nil {
		logger = slog.Default()
	}
	return logObserver{logger}
}

type logObserver struct{ logger *slog.Logger }

// Observe logs the event.
func (o logObserver) Observe(e Event) {
	attributes := []slog.Attr{slog.String("name", e.Name), slog.String("owner", e.Owner), slog.Duration("took", e.Took)}
	if e.Token != 0 {
		attributes = append(attributes, slog.Int64("token", int64(e.Token)))
	}
	if e.Incumbent != nil {
		attributes = append(attributes, slog.String("incumbent", e.Incumbent.Owner), slog.Time("deadline", e.Incumbent.Deadline))
	}
	if e.Err != nil {
		attributes = append(attributes, slog.Any("error", e.Err))
	}
	o.logger.LogAttrs(context.Background(), e.level(), "namedlock: "+string(e.Kind), attributes...)
}

// level returns how loudly the event is logged.
func (e Event) level() slog.Level {
	switch e.Kind {
	case AcquireFailed, RenewalFailed, ReleaseFailed:
		return slog.LevelWarn
	case Lost:
		if errors.Is(e.Err, ErrClosed) || errors.Is(e.Err, ErrReleased) {
			return slog.LevelDebug
		}
		return slog.LevelError
	}
	return slog.LevelDebug
}

// observe tells the observer, if there is one.
func (l *Locker) observe(e Event) {
	if l.observer != nil {
		l.observer.Observe(e)
	}
}

// observe tells what happened to the handle's grant, and how long it took since then.
func (k *Lock) observe(kind EventKind, since time.Time, err error) {
	if k.locker.observer == nil {
		return
	}
	took := k.locker.now().Sub(since)
	k.locker.observe(Event{Kind: kind, Name: k.Name(), Owner: k.Owner(), Token: k.Token(), Took: took, Err: err})
}
