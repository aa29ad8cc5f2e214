package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/domain"
)

// A foreign session may keep a row busy in two ways, and the server judges the waiting statement anew only in the second.
var foreigners = map[string]string{
	"only locked the row":                  "SELECT FROM %s WHERE name = 'x' FOR UPDATE",
	"changed the row and took it all back": "UPDATE %s SET owner = owner WHERE name = 'x'",
}

// busyWith keeps the row of x busy in a foreign session until the returned function rolls it back.
func busyWith(t *testing.T, statement, schema string) (free func()) {
	t.Helper()
	foreign := connect(t)
	must(t, foreign, "BEGIN")
	must(t, foreign, fmt.Sprintf(statement, table(schema)))
	return func() { must(t, foreign, "ROLLBACK") }
}

func TestM3ARenewalThatWaitedBeyondItsDeadlineIsRefused(t *testing.T) {
	for what, statement := range foreigners {
		t.Run("behind a session that "+what, func(t *testing.T) {
			schema, watch := newSchema(t), connect(t)
			locker := newLocker(t, openPool(t, "application_name="+schema), schema)
			lock := grant(t, locker, "x", "A", 400*time.Millisecond)
			free := busyWith(t, statement, schema)

			renewed := call(func() answer { return answerOf(lock.Renew(context.Background(), time.Hour)) })
			untilWaiting(t, watch, schema, 1)
			until(t, watch, "SELECT deadline <= clock_timestamp() FROM "+table(schema))
			free()

			if got := <-renewed; got != (answer{}) {
				t.Errorf("the renewal was answered with %+v, want a refusal", got)
			}
			grant(t, locker, "x", "B", time.Minute)
		})
	}
}

func TestM3AnAcquireThatWaitedGetsAFullWindowFromThenOn(t *testing.T) {
	for what, statement := range foreigners {
		t.Run("behind a session that "+what, func(t *testing.T) {
			schema, watch := newSchema(t), connect(t)
			locker := newLocker(t, openPool(t, "application_name="+schema), schema)
			grant(t, locker, "x", "A", time.Microsecond)
			free := busyWith(t, statement, schema)

			granted := call(func() *namedlock.Lock { return grant(t, locker, "x", "B", time.Hour) })
			untilWaiting(t, watch, schema, 1)
			freed := ask[time.Time](t, watch, "SELECT clock_timestamp()")
			free()

			if got := (<-granted).Deadline(); got.Before(freed.Add(time.Hour)) {
				t.Errorf("the deadline is %v, before a full window from %v", got, freed)
			}
		})
	}
}

func TestAPurgeWaitsForNobodyAndSparesWhatWasRenewed(t *testing.T) {
	schema := newSchema(t)
	locker := newLocker(t, openPool(t), schema)
	grant(t, locker, "x", "A", time.Microsecond)
	grant(t, locker, "y", "A", time.Microsecond)
	busyWith(t, foreigners["only locked the row"], schema)

	removed, err := locker.Purge(t.Context(), 0)
	if removed != 1 || err != nil {
		t.Errorf("the purge removed %d rows (%v), want the one that nobody is busy with", removed, err)
	}
}

// TestM2 holds up a drawer exactly between its draw and its insert, with a trigger that waits, and lets a rival try to
// acquire and release meanwhile.
func TestM2ADrawerThatStallsIsNotOvertakenByAWholeGrant(t *testing.T) {
	schema, foreign := newSchema(t), connect(t)
	quoted := pgx.Identifier{schema}.Sanitize()
	must(t, foreign, "CREATE FUNCTION "+quoted+".stall() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(TG_RELID::bigint); RETURN NEW; END$$")
	must(t, foreign, "CREATE TRIGGER stall BEFORE INSERT ON "+table(schema)+" FOR EACH ROW WHEN (NEW.owner = 'drawer') EXECUTE FUNCTION "+quoted+".stall()")
	must(t, foreign, "SELECT pg_advisory_lock($1::regclass::oid::bigint)", table(schema))
	locker := newLocker(t, openPool(t, "application_name="+schema), schema)

	drawn := call(func() namedlock.Token { return tokenOf(locker.TryLock(context.Background(), "x", "drawer", time.Hour)) })
	untilWaiting(t, foreign, schema, 1)
	rival := call(func() namedlock.Token { return acquireAndRelease(locker, "x", "rival") })
	untilOvertakenOrWaiting(t, foreign, schema, rival)
	must(t, foreign, "SELECT pg_advisory_unlock($1::regclass::oid::bigint)", table(schema))

	if first, second := <-drawn, <-rival; second > first {
		t.Errorf("the rival got token %d and gave it back before the drawer got %d", second, first)
	}
}

// untilOvertakenOrWaiting waits until the rival has its answer, or waits too. A rival that had its answer is put back.
func untilOvertakenOrWaiting(t *testing.T, watch *pgx.Conn, application string, rival <-chan namedlock.Token) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if len(rival) > 0 || ask[bool](t, watch, "SELECT count(*) = 2 FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'", application) {
			return
		}
	}
	t.Fatal("the rival neither got an answer nor waited")
}

// acquireAndRelease returns the token of a whole grant, and zero when it was refused.
func acquireAndRelease(locker *namedlock.Locker, name, owner string) namedlock.Token {
	lock, _, err := locker.TryLock(context.Background(), name, owner, time.Hour)
	if lock == nil || err != nil {
		return 0
	}
	_, _ = lock.Release(context.Background())
	return lock.Token()
}

// tokenOf returns the token of a grant, and zero for any other answer.
func tokenOf(lock *namedlock.Lock, _ *namedlock.Incumbent, _ error) namedlock.Token {
	if lock == nil {
		return 0
	}
	return lock.Token()
}

// answer is what a renewal or a release said.
type answer struct {
	ok  bool
	err error
}

func answerOf(ok bool, err error) answer { return answer{ok, err} }

// A store that may not wait as long as it would have to gives an error, never a grant and never "held", and no row of the
// call that failed remains.
func TestTimeoutsOfTheRoleAreErrors(t *testing.T) {
	for _, setting := range []string{"lock_timeout", "statement_timeout"} {
		t.Run(setting, func(t *testing.T) {
			schema, watch := newSchema(t), connect(t)
			pool := openPool(t, "options=-c%20"+setting+"%3D50")
			repo, err := postgres.New(pool, postgres.Config{Schema: schema})
			if err != nil {
				t.Fatal(err)
			}
			locker := namedlock.New(repo)
			stale := grant(t, locker, "x", "A", time.Microsecond)
			free := busyWith(t, foreigners["only locked the row"], schema)

			lock, incumbent, err := locker.TryLock(t.Context(), "x", "B", time.Hour)
			if lock != nil || incumbent != nil || !errors.Is(err, namedlock.ErrDatabase) {
				t.Errorf("the try was answered with %v, %v, %v, want an error of the store", lock, incumbent, err)
			}
			if _, err := stale.Renew(t.Context(), time.Hour); !errors.Is(err, domain.ErrDatabase) {
				t.Errorf("the renewal: %v, want an error of the store", err)
			}
			free()
			_ = locker.Close()
			if owner := ask[string](t, watch, "SELECT owner FROM "+table(schema)); owner != "A" {
				t.Errorf("the row belongs to %s, want A", owner)
			}
		})
	}
}
