package main

import (
	"syscall"
	"testing"
	"time"
)

func TestTheCommandDiesWithUs(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.withTTL("2s", executable(w.T), beStubborn)...)
		r.line()
		locker := w.locker()
		held, _ := w.entry(locker)
		r.signal(syscall.SIGKILL)
		killed := time.Now()
		_ = r.end() // the output ends when the command has
		if took := time.Since(killed); took > 10*time.Second {
			w.Errorf("the command lived for %v more", took)
		}
		if entry, found := w.entry(locker); !found || entry.Token != held.Token {
			w.Errorf("the lock is %+v, %v", entry, found)
		}
		run(w.T, w.waiting("1m", "true")...).checkCode(w.T, 0)
	})
}
