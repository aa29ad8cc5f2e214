package specs

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// message is a request to the other process: a method of the port, on the file at Path, at the time Now. The method
// "cancel" ends the context of the request with that ID.
type message struct {
	ID     int64
	Method string
	Path   string
	Now    time.Time
	Until  time.Time `json:",omitzero"`

	Name, Owner string
	Token       domain.Token
	Claim       domain.ClaimID
	Micros      int64
	After       string
	Limit       int
}

func (m message) with(claim domain.Claim) message {
	m.Name, m.Owner, m.Claim, m.Micros = claim.Name.String(), claim.Owner.String(), claim.ID, claim.TTL.Micros()
	return m
}

func (m message) on(grant domain.Grant) message {
	m.Name, m.Owner, m.Token = grant.Name.String(), grant.Owner.String(), grant.Token
	return m
}

func (m message) name() domain.Name { return domain.RestoreName(m.Name) }

func (m message) grant() domain.Grant {
	return domain.Grant{Name: m.name(), Owner: domain.RestoreOwner(m.Owner), Token: m.Token}
}

func (m message) claim() domain.Claim {
	return domain.Claim{ID: m.Claim, Name: m.name(), Owner: domain.RestoreOwner(m.Owner), TTL: m.ttl()}
}

// ttl and age are zero where the message carries none.
func (m message) ttl() domain.TTL {
	ttl, _ := domain.NewTTL(m.duration())
	return ttl
}

func (m message) age() domain.Age {
	age, _ := domain.NewAge(m.duration())
	return age
}

func (m message) duration() time.Duration {
	if m.Micros > math.MaxInt64/1000 {
		return math.MaxInt64
	}
	return time.Duration(m.Micros) * time.Microsecond
}

func (m message) page() ports.Page {
	return ports.Page{After: domain.RestoreName(m.After), Limit: m.Limit}
}

// reply is what the repository in the other process answered.
type reply struct {
	ID      int64
	Failure *failure
	Granted bool
	Yes     bool
	Rows    []row
	Removed int
	Last    string
}

// row is a lock, and the instant at which it was seen.
type row struct {
	Name, Owner              string
	Token                    domain.Token
	Claim                    domain.ClaimID
	AcquiredAt, Deadline, At domain.Instant
}

func rowOf(lock domain.Lock, at domain.Instant) row {
	return row{lock.Name().String(), lock.Owner().String(), lock.Token(), lock.Claim(), lock.AcquiredAt(), lock.Deadline(), at}
}

func (r row) sighting() domain.Sighting {
	grant := domain.Grant{Name: domain.RestoreName(r.Name), Owner: domain.RestoreOwner(r.Owner), Token: r.Token}
	return domain.Sighting{Lock: domain.Restore(grant, r.Claim, r.AcquiredAt, r.Deadline), At: r.At}
}

func (r reply) sightings() []domain.Sighting {
	var sightings []domain.Sighting
	for _, row := range r.Rows {
		sightings = append(sightings, row.sighting())
	}
	return sightings
}

func (r reply) sighting() domain.Sighting {
	if len(r.Rows) == 0 {
		return domain.Sighting{}
	}
	return r.Rows[0].sighting()
}

func (r reply) verdict() domain.Verdict {
	seen := r.sighting()
	return domain.Verdict{Granted: r.Granted, Lock: seen.Lock, At: seen.At}
}

// kinds are the errors that keep their identity on the way.
var kinds = []error{domain.ErrDatabase, domain.ErrClosed, domain.ErrInvalidTTL, ports.ErrNoEffect, context.Canceled, context.DeadlineExceeded}

// failure is an error of the other process: its text, and which of the kinds it is.
type failure struct {
	Text  string
	Kinds []int
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	failure := &failure{Text: err.Error()}
	for i, kind := range kinds {
		if errors.Is(err, kind) {
			failure.Kinds = append(failure.Kinds, i)
		}
	}
	return failure
}

func (f *failure) err() error {
	if f == nil {
		return nil
	}
	return f
}

func (f *failure) Error() string { return "in another process: " + f.Text }

func (f *failure) Unwrap() []error {
	var found []error
	for _, i := range f.Kinds {
		found = append(found, kinds[i])
	}
	return found
}
