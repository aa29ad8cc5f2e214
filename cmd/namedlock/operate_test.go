//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
)

// take takes a lock with the world's name before its own.
func (w world) take(locker *namedlock.Locker, name string, ttl time.Duration) *namedlock.Lock {
	w.Helper()
	lock, _, err := locker.TryLock(w.Context(), w.name+name, "ann", ttl)
	if lock == nil {
		w.Fatal(err)
	}
	return lock
}

func TestListShowsWhatIsHeldAndOnDemandWhatLapsed(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		held := w.take(locker, "/held", time.Hour)
		lapsed := w.take(locker, "/lapsed", time.Microsecond)
		list := func(args ...string) []row {
			return read[[]row](w.T, run(w.T, w.on("list", append(args, "--json")...)...))
		}
		rows := list()
		if len(rows) != 1 || rows[0].Name != held.Name() || rows[0].Owner != "ann" || rows[0].Token != held.Token() ||
			!rows[0].Deadline.Equal(held.Deadline()) || rows[0].Lapsed || time.Duration(rows[0].Remaining) < 59*time.Minute {
			w.Errorf("listed %+v", rows)
		}
		if rows := list("--lapsed"); len(rows) != 2 || rows[1].Name != lapsed.Name() || !rows[1].Lapsed || rows[1].Remaining != 0 {
			w.Errorf("listed with what lapsed: %+v", rows)
		}
		table := run(w.T, w.on("list", "--lapsed")...)
		table.checkCode(w.T, 0)
		lines := strings.Split(table.out, "\n")
		if len(lines) != 4 || strings.Index(lines[0], "OWNER") != strings.Index(lines[1], "ann") || !strings.Contains(lines[2], "ago") {
			w.Errorf("the table is\n%s", table.out)
		}
		nothing := run(w.T, "list", w.name+"/none", "--store", w.store)
		nothing.checkCode(w.T, 0)
		if nothing.out != "" {
			w.Errorf("an empty list is %q", nothing.out)
		}
		if got := run(w.T, "list", w.name+"/none", "--store", w.store, "--json"); got.out != "[]\n" {
			w.Errorf("an empty list is %q", got.out)
		}
	})
}

func TestANameThatATerminalWouldObeyIsShownQuoted(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	w.take(w.locker(), "\x1b[2J\n", time.Hour)
	for _, command := range []string{"list", "show"} {
		args := []string{command, w.name + "\x1b[2J\n", "--store", w.store}
		if got := run(t, args...); strings.Contains(got.out, "\x1b") && command == "list" || !strings.Contains(got.out, `\x1b[2J\n`) {
			t.Errorf("%s printed %q", command, got.out)
		}
	}
}

func TestShowTellsTheCommandThatBreaksThisVeryGrant(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		lock := w.take(locker, "/it's -x", time.Hour)
		got := run(w.T, "show", lock.Name(), "--store", w.store)
		got.checkCode(w.T, 0)
		for _, want := range []string{"owner     ann\n", fmt.Sprintf("token     %d\n", lock.Token()), "left      "} {
			if !strings.Contains(got.out, want) {
				w.Errorf("it showed\n%s, want %q in it", got.out, want)
			}
		}
		_, line, _ := strings.Cut(got.out, "break     namedlock ")
		cmd := namedlockCommand(w.T)
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `"$0" ` + line, built}
		finish(w.T, cmd).checkCode(w.T, 0)
		if entry, found, err := locker.Find(w.Context(), lock.Name()); found || err != nil {
			w.Errorf("it was not broken: %+v, %v", entry, err)
		}
		run(w.T, "show", lock.Name(), "--store", w.store).checkFailure(w.T, codeNothing, "nobody holds")
	})
}

func TestShowTellsNoPassword(t *testing.T) {
	onEachStore(t, func(w world) {
		if !strings.HasPrefix(w.store, "postgres:") {
			return
		}
		lock := w.hold(w.locker())
		withPassword := strings.Replace(w.store, "postgres@", "postgres:secret@", 1)
		for _, args := range [][]string{{"show", lock.Name()}, {"doctor"}, {"migrate"}} {
			got := run(w.T, append(args, "--store", withPassword)...)
			got.checkCode(w.T, 0)
			if strings.Contains(got.out, "secret") {
				w.Errorf("%v printed %s", args, got.out)
			}
		}
	})
}

func TestBreakEndsOnlyTheGrantThatWasSeen(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		lock := w.hold(locker)
		token := func(n namedlock.Token) []string { return w.on("break", "--token", fmt.Sprint(n)) }
		run(w.T, token(lock.Token()+1)...).checkFailure(w.T, codeOther, fmt.Sprint("token ", lock.Token()), "somebody else")
		if _, found := w.entry(locker); !found {
			w.Error("another grant was broken")
		}
		run(w.T, w.on("break")...).checkFailure(w.T, codeUsage, "--token")
		run(w.T, token(lock.Token())...).checkCode(w.T, 0)
		run(w.T, token(lock.Token())...).checkFailure(w.T, codeNothing, "nobody holds")
	})
}

func TestWaitLooksUntilTheLockIsFreeAndTakesNothing(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		run(w.T, w.on("wait")...).checkCode(w.T, 0)
		lock := w.hold(locker)
		run(w.T, w.on("wait", "--timeout", "0")...).checkFailure(w.T, codeHeld, "somebody else")
		run(w.T, w.on("wait", "--timeout", "3s")...).checkFailure(w.T, codeHeld, "somebody else")
		r := begin(w.T, w.on("wait")...)
		w.untilWaiting(r)
		if released, err := lock.Release(w.Context()); !released || err != nil {
			w.Fatal(released, err)
		}
		r.end().checkCode(w.T, 0)
		w.checkReleased()
	})
}

func TestPurgeRemovesWhatLapsedLongAgo(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	locker := w.locker()
	w.take(locker, "/held", time.Hour)
	w.take(locker, "/lapsed", time.Microsecond)
	purge := func(age string) result { return run(t, "purge", "--lapsed-for", age, "--store", w.store) }
	if got := purge("1h"); got != (result{0, "removed 0\n", ""}) {
		t.Errorf("%+v", got)
	}
	if got := purge("0"); got != (result{0, "removed 1\n", ""}) {
		t.Errorf("%+v", got)
	}
	run(t, "purge", "--store", w.store).checkFailure(t, codeUsage, "--lapsed-for")
}

func TestMigrateMakesTheTablesAndDoctorFindsThem(t *testing.T) {
	onEachStore(t, func(w world) {
		for range 2 {
			got := run(w.T, "migrate", "--store", w.store)
			got.checkCode(w.T, 0)
			if !strings.HasSuffix(got.out, " is at version 1\n") {
				w.Errorf("migrate printed %q", got.out)
			}
		}
		found := read[diagnosis](w.T, run(w.T, "doctor", "--store", w.store, "--json"))
		for _, c := range found.Checks {
			if c.Status == failed || c.Status == warning && c.Check != "file system" {
				w.Errorf("%+v", c)
			}
		}
		if text := run(w.T, "doctor", "--store", w.store); !strings.Contains(text.out, "ok       tables       version 1\n") || strings.Contains(text.out, "\x1b") {
			w.Errorf("doctor printed\n%s", text.out)
		}
		if rows := read[[]row](w.T, run(w.T, "list", "doctor/", "--store", w.store, "--lapsed", "--json")); len(rows) > 0 {
			w.Errorf("doctor left %+v", rows)
		}
	})
}

func TestDoctorTellsWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is a text\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for title, test := range map[string]struct{ store, check, found, advice string }{
		"no file":   {"sqlite:" + filepath.Join(folder, "none"), "file", "no such file", "migrate"},
		"no SQLite": {"sqlite:" + text, "file", "not a database", "SQLite file"},
		"no tables": {"sqlite:" + empty, "tables", "there are none", "namedlock migrate"},
		"no server": {"postgres://me:secret@127.0.0.1:1/db?sslmode=disable", "connection", "connection refused", "PGPASSWORD"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			got := run(t, "doctor", "--store", test.store)
			got.checkFailure(t, codeStore, "cannot be used")
			_, line, _ := strings.Cut(got.out, "failed   ")
			if !strings.HasPrefix(line, test.check) || !strings.Contains(line, test.found) || !strings.Contains(line, test.advice) {
				t.Errorf("doctor printed\n%s", got.out)
			}
			if strings.Contains(got.out+got.err, "secret") {
				t.Errorf("it told the password: %s", got.out)
			}
		})
	}
}

func TestWhatOnlyLooksMakesNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.db")
	for _, args := range [][]string{
		{"list"}, {"show", "x"}, {"break", "x", "--token", "1"}, {"wait", "x"}, {"purge", "--lapsed-for", "1h"},
		{"renew", "x", "--owner", "me", "--token", "1"}, {"release", "x", "--owner", "me", "--token", "1"},
	} {
		run(t, append(args, "--store", "sqlite:"+path)...).checkFailure(t, codeStore, "no such file", "migrate")
	}
	checkMissing(t, path)
}

func TestVersionAndCompletion(t *testing.T) {
	t.Parallel()
	if got := run(t, "version"); got.code != 0 || !strings.HasPrefix(got.out, "namedlock ") {
		t.Errorf("%+v", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := run(t, "completion", shell); got.code != 0 || !strings.Contains(got.out, "namedlock") {
			t.Errorf("%s: %+v", shell, got.code)
		}
	}
}
