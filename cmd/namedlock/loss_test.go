//go:build unix

package main

import (
	"bufio"
	"database/sql"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

func TestALostLockEndsTheCommandAndIs76(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.withTTL("1s", "sh", "-c", "echo $$; read line")...)
		pid, err := strconv.Atoi(r.line())
		if err != nil {
			w.Fatal(err)
		}
		w.breakLock(w.locker())
		_ = r.cmd.Wait() // its input stays open: only a signal can have ended it
		result{code: process.CodeOf(r.cmd.ProcessState), err: r.words.String()}.checkFailure(w.T, codeLost, w.name, "broken")
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			w.Errorf("the command is still there: %v", err)
		}
	})
}

func TestACommandCanEndItselfWhenTheLockIsLost(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	r := begin(t, w.withTTL("3s", executable(t), beReporter)...)
	r.expect("ready")
	w.breakLock(w.locker())
	r.expect("terminated")
	r.end().checkFailure(t, codeLost)
}

func TestALockThatIsGoneAtTheEndIs76(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.under("sh", "-c", "echo ready; read line; exit 3")...)
		r.expect("ready")
		w.breakLock(w.locker())
		r.end().checkFailure(w.T, codeLost, w.name)
	})
}

func TestTheCommandIsDeadBeforeTheLockLapses(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		r := begin(w.T, w.withTTL("2s", executable(w.T), beStubborn)...)
		r.line()
		thaw := w.freeze()
		asked := time.Now()
		entry, _ := w.entry(locker)
		latest := time.Now().Add(entry.Remaining()).Sub(asked) // no later than this after asked the lock lapses

		var last string
		printed := make(chan struct{})
		go func() {
			defer close(printed)
			for lines := bufio.NewScanner(r.out); lines.Scan(); {
				last = lines.Text()
			}
		}()
		eventually(w.T, "the lock lapsed", func() bool {
			entry, _ := w.entry(locker)
			return entry.Lapsed()
		})
		thaw()
		<-printed
		r.end().checkFailure(w.T, codeLost, "not renewed in time")
		micros, err := strconv.ParseInt(last, 10, 64)
		if lived := time.UnixMicro(micros).Sub(asked); err != nil || lived >= latest {
			w.Errorf("the command lived for %v more, and the lock for %v; %v", lived, latest, err)
		}
		w.checkReleased()
	})
}

func TestNothingIsWrittenAfterASecondProcessGotTheLock(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.withTTL("2s", executable(w.T), beStubborn)...)
		r.line()
		locker := w.locker()
		thaw := w.freeze()
		second := begin(w.T, w.waiting("forever", "date", "+%s%N")...)
		printed := make(chan string)
		go func() {
			last := ""
			for lines := bufio.NewScanner(r.out); lines.Scan(); {
				last = lines.Text()
			}
			printed <- last
		}()
		eventually(w.T, "the lock lapsed", func() bool {
			entry, _ := w.entry(locker)
			return entry.Lapsed()
		})
		thaw()
		written, errWritten := strconv.ParseInt(<-printed, 10, 64)
		began, errBegan := strconv.ParseInt(second.line(), 10, 64)
		if errWritten != nil || errBegan != nil || written >= began/1000 {
			w.Errorf("the first wrote at %d, the second began at %d; %v, %v", written, began/1000, errWritten, errBegan)
		}
		r.end().checkFailure(w.T, codeLost)
		second.end().checkCode(w.T, 0)
	})
}

// freeze makes the lock's row unchangeable until thaw is called; it can still be seen.
func (w world) freeze() (thaw func()) {
	w.Helper()
	if path, ok := strings.CutPrefix(w.store, "sqlite:"); ok {
		return w.freezeFile(path)
	}
	conn, err := pgx.Connect(w.Context(), w.store)
	if err != nil {
		w.Fatal(err)
	}
	thaw = func() { _ = conn.Close(w.Context()) }
	tx, err := conn.Begin(w.Context())
	if err == nil {
		_, err = tx.Exec(w.Context(), "SELECT 1 FROM namedlock.locks WHERE name = $1 FOR UPDATE", w.name)
	}
	if err != nil {
		w.Fatal(err)
	}
	return thaw
}

// freezeFile makes a SQLite file unchangeable.
func (w world) freezeFile(path string) (thaw func()) {
	w.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		w.Fatal(err)
	}
	conn, err := db.Conn(w.Context())
	if err == nil {
		_, err = conn.ExecContext(w.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		w.Fatal(err)
	}
	return func() {
		_, _ = conn.ExecContext(w.Context(), "ROLLBACK")
		_ = conn.Close()
		_ = db.Close()
	}
}
