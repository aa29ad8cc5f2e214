package namedlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/memory"
)

func Example() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, incumbent, err := locker.TryLock(ctx, "reports/nightly", namedlock.NewOwner(), 30*time.Second)
	if err != nil {
		log.Fatal(err) // the store could not answer
	}
	if incumbent != nil {
		return // somebody else is at it
	}
	defer lock.Release(ctx)

	fmt.Println("nobody else writes", lock.Name())
	// Output: nobody else writes reports/nightly
}

// Being refused is an answer, and tells who is in the way.
func ExampleLocker_TryLock() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	for _, owner := range []string{"worker 1", "worker 2"} {
		lock, incumbent, err := locker.TryLock(ctx, "reports/nightly", owner, 30*time.Second)
		switch {
		case err != nil:
			log.Fatal(err)
		case incumbent != nil:
			fmt.Printf("%s: %s holds it, under token %d\n", owner, incumbent.Owner, incumbent.Token)
		default:
			fmt.Printf("%s: mine, under token %d\n", owner, lock.Token())
		}
	}
	// Output:
	// worker 1: mine, under token 1
	// worker 2: worker 1 holds it, under token 1
}

// What went wrong is told apart with errors.Is. That somebody else holds the lock is no error.
func ExampleLocker_TryLock_errors() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))

	_, _, err := locker.TryLock(ctx, " ", "worker 1", time.Minute)
	fmt.Println(errors.Is(err, namedlock.ErrInvalidName), err)

	_, _, err = locker.TryLock(ctx, "reports", "worker 1", 0)
	fmt.Println(errors.Is(err, namedlock.ErrInvalidTTL), err)

	locker.Close()
	_, _, err = locker.TryLock(ctx, "reports", "worker 1", time.Minute)
	fmt.Println(errors.Is(err, namedlock.ErrDatabase), err)
	// Output:
	// true namedlock: try " ": invalid name: the name is empty or all white space
	// true namedlock: try "reports": store failed: invalid duration: the ttl must be positive, not 0s
	// true namedlock: try "reports": store failed: store is closed
}

// A renewal sets a full window from now. Once it was refused the lock is lost for good.
func ExampleLock_Renew() {
	ctx := context.Background()
	clock := &handClock{}
	locker := namedlock.New(memory.New(clock))
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", 30*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	for _, pause := range []time.Duration{20 * time.Second, 20 * time.Second, 30 * time.Second} {
		clock.Advance(pause)
		renewed, err := lock.Renew(ctx, 30*time.Second)
		if err != nil {
			log.Fatal(err) // nobody knows: count on lock.Remaining()
		}
		fmt.Println("after", pause, "still ours:", renewed)
	}
	// Output:
	// after 20s still ours: true
	// after 20s still ours: true
	// after 30s still ours: false
}

// A release may be deferred, repeated, and given a context that has ended.
func ExampleLock_Release() {
	ctx, cancel := context.WithCancel(context.Background())
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", 30*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	cancel()

	for range 2 {
		released, err := lock.Release(ctx)
		fmt.Println("released by this call:", released, err)
	}
	// Output:
	// released by this call: true <nil>
	// released by this call: false <nil>
}

// A holder that works in steps asks before each whether it can count on the lock for so long.
func ExampleLock_Remaining() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("time for a step of a minute:", lock.Remaining() > time.Minute)
	fmt.Println("time for a step of two hours:", lock.Remaining() > 2*time.Hour)
	// Output:
	// time for a step of a minute: true
	// time for a step of two hours: false
}

// A holder that stalled does not know that its lock lapsed. The resource knows, when it remembers the largest token.
func ExampleLock_Token() {
	ctx := context.Background()
	clock := &handClock{}
	locker := namedlock.New(memory.New(clock))
	defer locker.Close()
	var report fencedReport

	stalled, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", 30*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	clock.Advance(time.Minute)
	next, _, err := locker.TryLock(ctx, "reports/nightly", "worker 2", 30*time.Second)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(report.Write(next.Token(), "by worker 2"))
	fmt.Println(report.Write(stalled.Token(), "by worker 1"))
	fmt.Println(report.text)
	// Output:
	// <nil>
	// token 1 comes too late: 2 has written
	// by worker 2
}

// fencedReport is a resource that refuses late writers.
type fencedReport struct {
	largest namedlock.Token
	text    string
}

// Write replaces the text, unless a later grant has written already.
func (r *fencedReport) Write(token namedlock.Token, text string) error {
	if token < r.largest {
		return fmt.Errorf("token %d comes too late: %d has written", token, r.largest)
	}
	r.largest, r.text = token, text
	return nil
}

// Work runs while the lock is held, and is told when it may not go on.
func ExampleLocker_Do() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	err := locker.Do(ctx, "reports/nightly", "worker 1", 30*time.Second, func(ctx context.Context) error {
		err := locker.Do(ctx, "reports/nightly", "worker 2", 30*time.Second, nothing, namedlock.NoWait())
		var held *namedlock.HeldError
		if errors.As(err, &held) {
			fmt.Println("worker 2 has to wait for", held.Incumbent.Owner)
		}
		return ctx.Err()
	})
	fmt.Println(err)
	// Output:
	// worker 2 has to wait for worker 1
	// <nil>
}

func nothing(context.Context) error { return nil }

// Who waits is woken by the release.
func ExampleLocker_Lock() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	first, err := locker.Lock(ctx, "reports/nightly", "worker 1", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, func() { _, _ = first.Release(ctx) })

	next, err := locker.Lock(ctx, "reports/nightly", "worker 2", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(next.Owner(), "follows under token", next.Token())
	// Output: worker 2 follows under token 2
}

// The context of kept work ends when the lock is lost, and its cause tells why.
func ExampleLock_Keep() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, err := locker.Lock(ctx, "reports/nightly", "worker 1", 300*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	work, stop := lock.Keep(ctx)
	defer stop()

	if _, err := locker.Break(ctx, lock.Name(), lock.Token()); err != nil {
		log.Fatal(err)
	}
	<-work.Done()

	var lost *namedlock.LostError
	fmt.Println(errors.As(context.Cause(work), &lost), lost.Name, errors.Is(lost, namedlock.ErrTaken))
	// Output: true reports/nightly true
}

// A leader works until its context ends, and then resigns.
func ExampleLocker_Lead() {
	ctx, shutDown := context.WithCancel(context.Background())
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	err := locker.Lead(ctx, "scheduler", namedlock.NewOwner(), 10*time.Second, func(ctx context.Context) error {
		fmt.Println("leading")
		shutDown()
		<-ctx.Done()
		return ctx.Err()
	})
	_, held, _ := locker.Find(context.Background(), "scheduler")
	fmt.Println(err, held)
	// Output:
	// leading
	// <nil> false
}

func ExampleLocker_Find() {
	ctx := context.Background()
	clock := &handClock{}
	locker := namedlock.New(memory.New(clock))
	defer locker.Close()

	if _, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", 30*time.Second); err != nil {
		log.Fatal(err)
	}
	clock.Advance(10 * time.Second)
	entry, found, err := locker.Find(ctx, "reports/nightly")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found, entry.Owner, entry.Remaining())
	// Output: true worker 1 20s
}

func ExampleLocker_List() {
	ctx := context.Background()
	clock := &handClock{}
	locker := namedlock.New(memory.New(clock))
	defer locker.Close()

	for name, ttl := range map[string]time.Duration{"backup": time.Hour, "reports/daily": time.Hour, "reports/nightly": time.Minute} {
		if _, _, err := locker.TryLock(ctx, name, "worker 1", ttl); err != nil {
			log.Fatal(err)
		}
	}
	clock.Advance(15 * time.Minute)

	for entry, err := range locker.List(ctx, "reports/") {
		if err != nil {
			log.Fatal(err) // it is the last that the loop sees
		}
		fmt.Println(entry.Name, entry.Remaining(), "lapsed:", entry.Lapsed())
	}
	// Output:
	// reports/daily 45m0s lapsed: false
	// reports/nightly 0s lapsed: true
}

// An operator ends the grant that was seen. Another one that came meanwhile is left alone.
func ExampleLocker_Break() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	seen, _, err := locker.Find(ctx, "reports/nightly")
	if err != nil {
		log.Fatal(err)
	}

	broken, err := locker.Break(ctx, seen.Name, seen.Token)
	fmt.Println("broken:", broken, err)
	renewed, err := lock.Renew(ctx, time.Hour)
	fmt.Println("its holder renews:", renewed, err)
	// Output:
	// broken: true <nil>
	// its holder renews: false <nil>
}

// Names that are used once leave rows behind. They go when they have been of no use for long enough.
func ExampleLocker_Purge() {
	ctx := context.Background()
	clock := &handClock{}
	locker := namedlock.New(memory.New(clock))
	defer locker.Close()

	for _, name := range []string{"upload/1", "upload/2", "upload/3"} {
		if _, _, err := locker.TryLock(ctx, name, "worker 1", time.Minute); err != nil {
			log.Fatal(err)
		}
		clock.Advance(12 * time.Hour)
	}
	removed, err := locker.Purge(ctx, 23*time.Hour)
	fmt.Println(removed, err)
	// Output: 2 <nil>
}

// handClock is a clock that a test moves by hand.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func ExampleLocker_UntilFree() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "migration", "worker 1", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	go lock.Release(ctx)

	err = locker.UntilFree(ctx, "migration")
	fmt.Println("the migration is over:", err)
	// Output:
	// the migration is over: <nil>
}

func ExampleLocker_Restore() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "upload/42", "session 7", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	owner, token := lock.Owner(), lock.Token() // kept where the next request of the session finds them

	again, err := locker.Restore("upload/42", owner, token, time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	released, err := again.Release(ctx)
	fmt.Println("released:", released, err)
	// Output:
	// released: true <nil>
}

func ExampleLock_Shared() {
	ctx := context.Background()
	locker := namedlock.New(memory.New(nil))
	defer locker.Close()

	for range 2 {
		lock, _, err := locker.TryLock(ctx, "reports/nightly", "worker 1", time.Hour)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("token", lock.Token(), "shared:", lock.Shared())
	}
	// Output:
	// token 1 shared: false
	// token 1 shared: true
}
