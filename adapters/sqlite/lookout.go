package sqlite

import (
	"os"
	"sync"
	"time"

	"github.com/alkstore/namedlock/adapters/internal/bell"
	"github.com/alkstore/namedlock/domain"
)

const (
	// shortestLook is the pause between two looks at the file just after a change; each later pause is twice as long, up to
	// longestLook.
	shortestLook = time.Millisecond
	longestLook  = 8 * time.Millisecond
	// echo is how long after a change the bell is rung once more: file systems cut times, so that a second change within a
	// few milliseconds of the first looks like none.
	echo = 20 * time.Millisecond
)

// lookout tells those who wait for a name what other processes did to the file. It asks the file system, not the database,
// for the time and the size of the file and of its log, and only while somebody watches.
type lookout struct {
	board bell.Board
	file  string

	mu      sync.Mutex
	looking bool
	closed  bool
}

// shape is what the file system says of a database. It changes with every commit of any process.
type shape [2]struct {
	size     int64
	modified time.Time
}

// Watch begins to watch a name. What this handle removes is told at once, what other processes change within about ten
// milliseconds, whatever it was.
func (r *Repository) Watch(name domain.Name) (rings <-chan struct{}, stop func()) {
	rings, stop = r.lookout.board.Watch(name)
	r.lookout.begin()
	r.lookout.board.Ring(name)
	return rings, stop
}

// begin starts to look, unless somebody does already.
func (l *lookout) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.looking || l.closed {
		return
	}
	l.looking = true
	go l.look(l.shape())
}

// look rings for every change from the known shape on, until nobody watches any more.
func (l *lookout) look(known shape) {
	pause, changed := longestLook, time.Time{}
	for l.isWanted() {
		time.Sleep(pause)
		pause = min(2*pause, longestLook)
		if now := l.shape(); now != known {
			known, pause, changed = now, shortestLook, time.Now()
			l.board.RingAll()
		} else if !changed.IsZero() && time.Since(changed) > echo {
			changed = time.Time{}
			l.board.RingAll()
		}
	}
}

// isWanted reports whether somebody watches. If not, the next who does begins anew.
func (l *lookout) isWanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looking = !l.closed && !l.board.Empty()
	return l.looking
}

// close lets everybody ask once more, and looks no longer.
func (l *lookout) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.board.RingAll()
}

// shape returns what the file system says now. A file that is not there has the zero shape.
func (l *lookout) shape() shape {
	var now shape
	for i, file := range []string{l.file, l.file + "-wal"} {
		if info, err := os.Stat(file); err == nil {
			now[i].size, now[i].modified = info.Size(), info.ModTime()
		}
	}
	return now
}
