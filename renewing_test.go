package namedlock

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

func TestRenewalsOfManyLocksTravelTogether(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		b := &batches{store: s}
		locker := New(b)
		const crowd = 3000
		var lost atomic.Int32
		for i := range crowd {
			lock := take(t, locker, fmt.Sprint("job ", i), "ann", 10*time.Second)
			ctx, stop := lock.Keep(t.Context())
			defer stop()
			context.AfterFunc(ctx, func() { lost.Add(1) })
			time.Sleep(time.Millisecond)
		}
		sent := b.sent.Load()
		time.Sleep(time.Minute)
		if perSecond := float64(b.sent.Load()-sent) / 60; perSecond > 5 {
			t.Errorf("%.1f batches a second", perSecond)
		}
		if n := lost.Load(); n > 0 {
			t.Errorf("%d locks were lost", n)
		}
	})
}

// batches counts batches, and holds up the rows of one name.
type batches struct {
	*store
	sent atomic.Int32
	busy domain.Name
}

func (b *batches) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	b.sent.Add(1)
	answers, err := b.Repository.RenewBatch(ctx, renewals)
	for i := range answers {
		if renewals[i].Grant.Name == b.busy {
			answers[i] = ports.Renewed{Undecided: true}
		}
	}
	return answers, err
}

func TestANameThatIsHeldUpDelaysNoOther(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		locker := New(&batches{store: s, busy: domain.RestoreName("stuck")})
		began := time.Now()
		stuck, stop := take(t, locker, "stuck", "ann", 30*time.Second).Keep(t.Context())
		defer stop()
		other, stop := take(t, locker, "other", "ann", 30*time.Second).Keep(t.Context())
		defer stop()
		<-stuck.Done()
		if got := time.Since(began); got != 27*time.Second {
			t.Errorf("the stuck one was lost after %v", got)
		}
		is(t, lossOf(t, stuck, ErrLapsed), errBusy)
		time.Sleep(10 * time.Minute)
		alive(t, other)
	})
}

func TestAStoreThatHangsForSomeHoldsUpNoOther(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		locker := New(plain{s})
		s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			if grant.Name.String() == "stuck" {
				<-ctx.Done()
				return domain.Verdict{}, domain.DatabaseError(ctx.Err())
			}
			return s.Repository.Renew(ctx, grant, ttl)
		}
		stuck, stop := take(t, locker, "stuck", "ann", 30*time.Second).Keep(t.Context())
		defer stop()
		other, stop := take(t, locker, "other", "ann", 30*time.Second).Keep(t.Context())
		defer stop()
		<-stuck.Done()
		time.Sleep(10 * time.Minute)
		alive(t, other)
	})
}

func TestALockOfAShortTTLDoesNotHurryTheOthers(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			select {
			case <-time.After(time.Second):
				return s.Repository.Renew(ctx, grant, ttl)
			case <-ctx.Done():
				return domain.Verdict{}, domain.DatabaseError(ctx.Err())
			}
		}
		long, stop := take(t, locker, "long", "ann", 30*time.Second).Keep(t.Context())
		defer stop()
		for i := range 100 {
			_, stop := take(t, locker, fmt.Sprint("short ", i), "ann", time.Second).Keep(t.Context())
			defer stop()
			time.Sleep(time.Second)
		}
		alive(t, long)
	})
}

// miscounting gives another number of answers than it was asked for.
type miscounting struct {
	*store
	change int
}

func (m miscounting) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	answers, err := m.Repository.RenewBatch(ctx, renewals)
	return append(answers, ports.Renewed{})[:len(answers)+m.change], err
}

func TestAStoreThatMiscountsRenewsNothingAndBreaksNothing(t *testing.T) {
	for _, change := range []int{-1, +1} {
		inTime(t, func(t *testing.T, s *store, _ *Locker) {
			locker := New(miscounting{s, change})
			began := time.Now()
			ctx, stop := take(t, locker, "reports", "ann", 30*time.Second).Keep(t.Context())
			defer stop()
			<-ctx.Done()
			if got := time.Since(began); got != 27*time.Second {
				t.Errorf("the work heard after %v, want a tenth of the ttl before its end", got)
			}
			ended(t, ctx, ErrLapsed)
		})
	}
}
