package postgres

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock/adapters/internal/bell"
	"github.com/alkstore/namedlock/domain"
)

const (
	// firstPause is the time before a listener that failed begins anew; it doubles up to lastPause.
	firstPause = 100 * time.Millisecond
	lastPause  = time.Second
	// linger is how long a listener stays after the last watch ended.
	linger = time.Second
)

// Watch begins to watch a name. While somebody does, the repository listens on one connection of its own, which comes from
// no pool, and which it opens anew when it breaks. A removal notifies only where somebody waits for its very name. Behind a
// pooler that gives each transaction another session nothing can be heard: then whoever waits is told to ask about ten
// times a second, and the log says so once.
func (r *Repository) Watch(name domain.Name) (rings <-chan struct{}, stop func()) {
	rings, end := r.listener.board.Watch(name)
	r.listener.notice(name)
	return rings, func() {
		end()
		r.listener.notice(name)
	}
}

// listener listens for those who wait, in one goroutine that runs while there are any.
type listener struct {
	pool       *pgxpool.Pool
	statements *statements
	logger     *slog.Logger
	board      bell.Board

	mu      sync.Mutex
	running bool
	closed  bool
	// changed is whether names came or went that the goroutine has not seen; interrupt ends its nap.
	changed   bool
	interrupt context.CancelFunc
	// quit ends the goroutine, and over is closed when it has.
	quit context.CancelFunc
	over chan struct{}
	// warned is whether the log was told of the outage that lasts, and of the pooler.
	warned, warnedOfPooler bool
}

func newListener(pool *pgxpool.Pool, statements *statements, logger *slog.Logger) *listener {
	if logger == nil {
		logger = slog.Default()
	}
	return &listener{pool: pool, statements: statements, logger: logger}
}

// notice tells the goroutine, which it starts if there is none, that the names have changed.
func (l *listener) notice(name domain.Name) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.board.Ring(name)
		return
	}
	l.changed = true
	if l.interrupt != nil {
		l.interrupt()
	}
	if !l.running && !l.board.Empty() {
		l.start()
	}
}

// start starts the goroutine.
func (l *listener) start() {
	ctx, quit := context.WithCancel(context.Background())
	l.running, l.quit, l.over = true, quit, make(chan struct{})
	go func() {
		defer close(l.over)
		defer quit()
		l.run(ctx)
	}()
}

// run listens, and begins anew after each failure, until nobody waits any more.
func (l *listener) run(ctx context.Context) {
	pause := firstPause
	for l.isWanted(ctx) {
		inForce, err := l.listen(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if inForce {
			pause = firstPause
		}
		l.warn(err, inForce)
		l.board.RingAll()
		l.nap(ctx, pause/2+rand.N(pause))
		pause = min(2*pause, lastPause)
	}
}

// isWanted reports whether somebody waits. If not, the next who does starts another goroutine.
func (l *listener) isWanted(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = ctx.Err() == nil && !l.board.Empty()
	return l.running
}

// listen listens on a connection of its own until nobody waits any more, or it fails. It reports whether it had come so
// far that it could hear.
func (l *listener) listen(ctx context.Context) (inForce bool, err error) {
	conn, err := l.connect(ctx)
	if err != nil {
		return false, err
	}
	defer hangUp(conn)
	s := session{listener: l, conn: conn, queries: l.statements.on(conn), announced: map[domain.Name]struct{}{}}
	heard, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	if !heard {
		hangUp(conn)
		l.warnOfPooler()
		return true, l.pollWithoutHearing(ctx)
	}
	return true, s.serve(ctx)
}

// pollWithoutHearing lets those who wait ask now and then, until there are none.
func (l *listener) pollWithoutHearing(ctx context.Context) error {
	for !l.board.Empty() && ctx.Err() == nil {
		l.board.RingAll()
		l.rest(ctx, firstPause/2+rand.N(firstPause))
	}
	return ctx.Err()
}

// nap waits for d, or until the names change, and reports whether they did.
func (l *listener) nap(ctx context.Context, d time.Duration) (changed bool) {
	l.during(ctx, d, func(napping context.Context) { <-napping.Done() })
	return l.fetchChanged()
}

// rest waits for d whatever changes.
func (l *listener) rest(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// during runs work under a context that ends after d, or when the names change, if they have not already.
func (l *listener) during(ctx context.Context, d time.Duration, work func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	l.mu.Lock()
	if l.changed {
		cancel()
	}
	l.interrupt = cancel
	l.mu.Unlock()
	work(ctx)
	l.mu.Lock()
	l.interrupt = nil
	l.mu.Unlock()
}

// fetchChanged reports whether names came or went since the last call.
func (l *listener) fetchChanged() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := l.changed
	l.changed = false
	return changed
}

// connect opens a connection to the database of the pool, as the pool would.
func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	settings := l.pool.Config()
	config := settings.ConnConfig.Copy()
	if settings.BeforeConnect != nil {
		if err := settings.BeforeConnect(ctx, config); err != nil {
			return nil, err
		}
	}
	return pgx.ConnectConfig(ctx, listening(config))
}

// hangUp closes a connection, politely for a moment.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// warn logs once for each outage that nothing can be heard.
func (l *listener) warn(err error, anew bool) {
	if l.warned && !anew {
		return
	}
	l.warned = true
	l.logger.Warn("namedlock: releases cannot be heard, whoever waits asks now and then", "error", err)
}

// warnOfPooler logs once that nothing will be heard.
func (l *listener) warnOfPooler() {
	if l.warnedOfPooler {
		return
	}
	l.warnedOfPooler = true
	l.logger.Warn("namedlock: behind a connection pooler releases cannot be heard, whoever waits asks now and then")
}

// close ends the goroutine and waits until it has, and lets everybody who waits ask once more.
func (l *listener) close() {
	l.mu.Lock()
	l.closed = true
	quit, over := l.quit, l.over
	l.mu.Unlock()
	l.board.RingAll()
	if quit != nil {
		quit()
		<-over
	}
}
