package specs

import (
	"context"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// inAnotherProcess returns a repository on the SQLite file at path whose calls are carried out in another process.
func inAnotherProcess(path string, clock ports.Clock) ports.Repository {
	repo := &remote{path: path, clock: clock, process: rival()}
	DeferCleanup(repo.Close)
	return repo
}

// remote is a ports.Repository whose calls are carried out in the other process, by the present time of the clock here.
type remote struct {
	path    string
	clock   ports.Clock
	process *process
	closed  atomic.Bool
}

var _ ports.Repository = (*remote)(nil)

// ask carries a request out there. A context that has ended already is not worth the way.
func (r *remote) ask(ctx context.Context, request message) (reply, error) {
	if r.closed.Load() {
		return reply{}, domain.ErrClosed
	}
	if cause := ctx.Err(); cause != nil {
		return reply{}, ports.NoEffect(cause)
	}
	request.Path, request.Now = r.path, r.clock.Now()
	request.Until, _ = ctx.Deadline()
	answer := r.process.call(ctx, request)
	return answer, answer.Failure.err()
}

func (r *remote) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	answer, err := r.ask(ctx, message{Method: "acquire"}.with(claim))
	return answer.verdict(), err
}

func (r *remote) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	answer, err := r.ask(ctx, message{Method: "renew", Micros: ttl.Micros()}.on(grant))
	return answer.verdict(), err
}

func (r *remote) Release(ctx context.Context, grant domain.Grant) (bool, error) {
	answer, err := r.ask(ctx, message{Method: "release"}.on(grant))
	return answer.Yes, err
}

func (r *remote) Withdraw(ctx context.Context, claim domain.Claim) (bool, error) {
	answer, err := r.ask(ctx, message{Method: "withdraw"}.with(claim))
	return answer.Yes, err
}

func (r *remote) Find(ctx context.Context, name domain.Name) (domain.Sighting, error) {
	answer, err := r.ask(ctx, message{Method: "find", Name: name.String()})
	return answer.sighting(), err
}

func (r *remote) List(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
	text, _ := prefix.Range()
	answer, err := r.ask(ctx, message{Method: "list", Name: text, After: page.After.String(), Limit: page.Limit})
	return answer.sightings(), err
}

func (r *remote) Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error) {
	answer, err := r.ask(ctx, message{Method: "break", Name: name.String(), Token: seen})
	return answer.Yes, err
}

func (r *remote) Purge(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
	answer, err := r.ask(ctx, message{Method: "purge", Micros: age.Micros(), After: page.After.String(), Limit: page.Limit})
	return ports.Purged{Removed: answer.Removed, Last: domain.RestoreName(answer.Last)}, err
}

// Close closes the file there.
func (r *remote) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	return r.process.call(context.Background(), message{Method: "close", Path: r.path}).Failure.err()
}
