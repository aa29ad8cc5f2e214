// Package cycle measures what a lock costs whom nobody contends: a try that is granted and its release.
package cycle

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/bench/internal/stores"
)

func BenchmarkCycle(b *testing.B) {
	for _, kind := range []string{"memory", "sqlite", "postgres"} {
		for _, goroutines := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", kind, goroutines), func(b *testing.B) { cycle(b, kind, goroutines) })
		}
	}
}

// cycle lets goroutines lock and release, each a name of its own.
func cycle(b *testing.B, kind string, goroutines int) {
	locker, err := stores.Open(b.Context(), stores.Fresh(b, kind))
	if err != nil {
		b.Fatal(err)
	}
	defer locker.Close()
	var left atomic.Int64
	left.Store(int64(b.N))
	failures := make(chan error, goroutines)
	b.ResetTimer()
	for i := range goroutines {
		go func() { failures <- repeat(locker, fmt.Sprint("job ", i), &left) }()
	}
	for range goroutines {
		if err := <-failures; err != nil {
			b.Error(err)
		}
	}
	b.StopTimer()
}

// repeat locks and releases the name until nothing is left to do.
func repeat(locker *namedlock.Locker, name string, left *atomic.Int64) error {
	ctx := context.Background()
	for left.Add(-1) >= 0 {
		lock, _, err := locker.TryLock(ctx, name, name, time.Minute)
		if err != nil {
			return err
		}
		if _, err := lock.Release(ctx); err != nil {
			return err
		}
	}
	return nil
}
