//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

// on returns the arguments of a command about the world's lock.
func (w world) on(command string, args ...string) []string {
	return append([]string{command, w.name, "--store", w.store}, args...)
}

// asHolder returns the arguments of a command of whoever acquired the lock.
func (w world) asHolder(command string, g grant, args ...string) []string {
	return w.on(command, append([]string{"--owner", g.Owner, "--token", fmt.Sprint(g.Token)}, args...)...)
}

// read reads what a command printed as JSON.
func read[T any](t *testing.T, got result) (value T) {
	t.Helper()
	got.checkCode(t, 0)
	if err := json.Unmarshal([]byte(got.out), &value); err != nil {
		t.Fatalf("%v in %q", err, got.out)
	}
	return value
}

// UnmarshalJSON reads a number of seconds.
func (s *seconds) UnmarshalJSON(text []byte) error {
	var number float64
	err := json.Unmarshal(text, &number)
	*s = seconds(number * float64(time.Second))
	return err
}

func TestALockIsAcquiredRenewedAndReleasedInSteps(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		first := read[grant](w.T, run(w.T, w.on("acquire", "--ttl", "1h", "--json")...))
		entry, _ := w.entry(locker)
		if first.Name != w.name || first.Owner != entry.Owner || first.Token != entry.Token || !first.Deadline.Equal(entry.Deadline) {
			w.Errorf("acquired %+v, and the store has %+v", first, entry)
		}
		if left := time.Duration(first.Remaining); left > time.Hour || left < 59*time.Minute {
			w.Errorf("%v remains", left)
		}
		run(w.T, w.on("acquire")...).checkFailure(w.T, codeHeld, first.Owner)
		again := read[grant](w.T, run(w.T, w.on("acquire", "--owner", first.Owner, "--ttl", "9h", "--json")...))
		if again.Token != first.Token || !again.Deadline.Equal(first.Deadline) {
			w.Errorf("the same owner acquired %+v after %+v", again, first)
		}
		renewed := read[grant](w.T, run(w.T, w.asHolder("renew", first, "--ttl", "2h", "--json")...))
		if entry, _ = w.entry(locker); !renewed.Deadline.Equal(entry.Deadline) || !entry.Deadline.After(first.Deadline) {
			w.Errorf("renewed to %+v, and the store has %+v", renewed, entry)
		}
		run(w.T, w.asHolder("release", first)...).checkCode(w.T, 0)
		w.checkReleased()
		run(w.T, w.asHolder("release", first)...).checkFailure(w.T, codeLost, "any more")
		run(w.T, w.asHolder("renew", first)...).checkFailure(w.T, codeLost, "any more")
		stranger := grant{Owner: "somebody else", Token: first.Token}
		run(w.T, w.asHolder("release", stranger)...).checkFailure(w.T, codeLost)
	})
}

func TestAScriptReadsWhatAcquirePrints(t *testing.T) {
	onEachStore(t, func(w world) {
		script := `lock=$("$0" acquire "$1" --owner "it's \"me\" \$x" --ttl 1h) || exit
eval "$lock"
"$0" renew "$NAMEDLOCK_NAME" --owner "$NAMEDLOCK_OWNER" --token "$NAMEDLOCK_TOKEN" --ttl 2h >/dev/null || exit
printf '%s\n' "$NAMEDLOCK_NAME" "$NAMEDLOCK_OWNER"
"$0" release "$NAMEDLOCK_NAME" --owner "$NAMEDLOCK_OWNER" --token "$NAMEDLOCK_TOKEN"`
		cmd := namedlockCommand(w.T)
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script, built, "it's " + w.name}
		cmd.Env = append(cmd.Env, storeVariable+"="+w.store)
		got := finish(w.T, cmd)
		got.checkCode(w.T, 0)
		if want := "it's " + w.name + "\nit's \"me\" $x\n"; got.out != want {
			w.Errorf("the script printed %q, want %q", got.out, want)
		}
	})
}

func TestAnAcquireWaitsAndASignalEndsIt(t *testing.T) {
	onEachStore(t, func(w world) {
		lock := w.hold(w.locker())
		r := begin(w.T, w.on("acquire", "--wait", "forever", "--json")...)
		w.untilWaiting(r)
		if released, err := lock.Release(w.Context()); !released || err != nil {
			w.Fatal(released, err)
		}
		got := read[grant](w.T, r.end())
		waiting := begin(w.T, w.on("acquire", "--wait", "forever")...)
		w.untilWaiting(waiting)
		waiting.signal(2)
		waiting.end().checkCode(w.T, 128+2)
		run(w.T, w.asHolder("release", got)...).checkCode(w.T, 0)
		w.checkReleased()
	})
}

func TestALockThatNobodyIsToldOfIsReleased(t *testing.T) {
	onEachStore(t, func(w world) {
		unread, broken, err := os.Pipe()
		if err != nil {
			w.Fatal(err)
		}
		_ = unread.Close()
		defer broken.Close()
		cmd := namedlockCommand(w.T, w.on("acquire")...)
		cmd.Stdout = broken
		finish(w.T, cmd).checkFailure(w.T, 1, "released")
		w.checkReleased()
	})
}
