package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
)

// Each call that was given up must leave its name free for somebody else, long before its ttl (M8).
func TestM8AcquiresCancelledAtARandomMomentLeaveNothingBehind(t *testing.T) {
	locker := newLocker(t, openPool(t, "pool_max_conns=8"), newSchema(t))
	var failed []string
	for i := range 1000 {
		name := fmt.Sprintf("cancelled-%d", i)
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(3*time.Millisecond))
		lock, incumbent, err := locker.TryLock(ctx, name, "A", time.Minute)
		cancel()
		switch {
		case err != nil:
			failed = append(failed, name)
		case lock == nil || incumbent != nil:
			t.Fatalf("%s: %v, %v, %v", name, lock, incumbent, err)
		}
	}
	if len(failed) < 50 {
		t.Errorf("only %d calls were cut off: nothing was tried", len(failed))
	}
	t.Logf("%d of 1000 calls were cut off", len(failed))
	bound := time.Now().Add(time.Second)
	for _, name := range failed {
		grantBy(t, locker, name, "B", bound)
	}
}

// grantBy asks for a lock again and again until it is granted, by the bound at the latest.
func grantBy(t *testing.T, locker *namedlock.Locker, name, owner string, bound time.Time) {
	t.Helper()
	for {
		lock, incumbent, err := locker.TryLock(t.Context(), name, owner, time.Minute)
		if lock != nil {
			return
		}
		if err != nil || time.Now().After(bound) {
			t.Fatalf("%s is still not to be had: %+v, %v", name, incumbent, err)
		}
	}
}

// A call that was given up while the server was still busy with it is taken back when the server is done.
func TestM8AnAcquireThatIsCarriedOutAfterItWasGivenUpIsTakenBack(t *testing.T) {
	schema, watch := newSchema(t), connect(t)
	locker := newLocker(t, openPool(t, "application_name="+schema), schema)
	grant(t, locker, "x", "A", time.Microsecond)
	free := busyWith(t, foreigners["only locked the row"], schema)
	ctx, cancel := context.WithCancel(t.Context())
	given := call(func() error { _, _, err := locker.TryLock(ctx, "x", "B", time.Hour); return err })
	untilWaiting(t, watch, schema, 1)
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("the call: %v", err)
	}
	free()
	grantBy(t, locker, "x", "C", time.Now().Add(time.Second))
}

// A session that may only read gives an error, also to those who would have been refused (L2).
func TestL2AReadOnlySessionIsAnErrorAndNotHeld(t *testing.T) {
	schema := newSchema(t)
	lock := grant(t, newLocker(t, openPool(t), schema), "x", "A", time.Hour)
	readOnly := newLocker(t, openPool(t, "default_transaction_read_only=on"), schema)
	for _, name := range []string{"x", "free"} {
		got, incumbent, err := readOnly.TryLock(t.Context(), name, "B", time.Hour)
		if got != nil || incumbent != nil || !errors.Is(err, namedlock.ErrDatabase) {
			t.Errorf("try %s: %v, %v, %v, want an error of the store", name, got, incumbent, err)
		}
	}
	if renewed, err := lock.Renew(t.Context(), time.Hour); !renewed || err != nil {
		t.Errorf("the holder's own renewal: %v, %v", renewed, err)
	}
}

func TestL2AServerThatIsNotThereIsAnErrorAndNotHeld(t *testing.T) {
	pool := openPool(t)
	locker := newLocker(t, pool, newSchema(t))
	lock := grant(t, locker, "x", "A", time.Hour)
	pool.Close()
	if _, incumbent, err := locker.TryLock(t.Context(), "x", "B", time.Hour); incumbent != nil || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("try: %v, %v", incumbent, err)
	}
	if _, err := lock.Renew(t.Context(), time.Hour); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("renew: %v", err)
	}
	if _, err := lock.Release(t.Context()); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("release: %v", err)
	}
}

// Sessions that the server ends are an error to those who are just using them, at most, and never a wrong answer.
func TestTerminatedSessionsAreErrorsAtMost(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	locker := newLocker(t, openPool(t, "application_name="+schema, "pool_max_conns=4"), schema)
	lock := grant(t, locker, "x", "A", time.Hour)
	for range 50 {
		must(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", schema)
		if renewed, err := lock.Renew(t.Context(), time.Hour); !renewed && !errors.Is(err, namedlock.ErrDatabase) {
			t.Fatalf("renew: %v, %v", renewed, err)
		}
		if stranger, incumbent, err := locker.TryLock(t.Context(), "x", "B", time.Hour); stranger != nil || incumbent == nil && !errors.Is(err, namedlock.ErrDatabase) {
			t.Fatalf("try: %v, %v, %v", stranger, incumbent, err)
		}
	}
	if renewed, err := lock.Renew(t.Context(), time.Hour); !renewed || err != nil {
		t.Errorf("renew at the end: %v, %v", renewed, err)
	}
}
