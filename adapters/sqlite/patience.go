package sqlite

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	shortestPause = 100 * time.Microsecond
	longestPause  = 5 * time.Millisecond
)

// patiently tries again while the database is busy with somebody else and the context lives. The pauses grow, to five
// milliseconds, and vary, so that processes do not wake up in step. SQLite's own wait is longer between its looks, and
// deaf to the context.
func patiently(ctx context.Context, try func() error) error {
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		err := try()
		if err == nil || !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// unlessAbandoned returns what work returns, but not later than the context ends: what comes after that is discarded.
// Where work cannot block out of the context's reach it runs right here.
func unlessAbandoned[T any](ctx context.Context, blocks bool, work func() (T, error), discard func(T)) (T, error) {
	if !blocks || ctx.Done() == nil {
		return work()
	}
	type outcome struct {
		result T
		err    error
	}
	handover := make(chan outcome)
	go func() {
		result, err := work()
		select {
		case handover <- outcome{result, err}:
		case <-ctx.Done():
			if err == nil {
				discard(result)
			}
		}
	}()
	select {
	case done := <-handover:
		return done.result, done.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
