package namedlock

import (
	"time"

	"github.com/alkstore/namedlock/domain"
)

// tenure is how long this process may count on a lock: a window that began before the request for it was sent (M7).
type tenure struct {
	since  time.Time
	window time.Duration
}

// tenureOf counts the window that the store granted from before the request was sent, so that it ends here no later than
// there, whatever the two clocks say (M7). The store cuts its instants to the microsecond, so the beginning is cut too.
func tenureOf(verdict domain.Verdict, started time.Time) tenure {
	return tenure{since: cut(started), window: verdict.At.Until(verdict.Lock.Deadline())}
}

// left returns how much of the window remains at now, and zero when it is over.
func (t tenure) left(now time.Time) time.Duration {
	return max(0, t.window-elapsed(t.since, now))
}

// elapsed returns how much time has passed by the clock of this machine that says more: its monotonic clock stands still
// while a machine sleeps, and its wall clock can be set back (M7).
func elapsed(since, now time.Time) time.Duration {
	monotonic := now.Sub(since)
	wall := now.Round(0).Sub(since.Round(0))
	return max(0, monotonic, wall)
}

// cut returns t cut to the microsecond, with its monotonic reading.
func cut(t time.Time) time.Time {
	return t.Add(-time.Duration(t.Nanosecond()) % time.Microsecond)
}
