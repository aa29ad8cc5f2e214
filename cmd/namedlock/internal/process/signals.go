package process

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchSignals catches what is to be passed on to the command, for as long as we live.
func CatchSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, Caught()...)
	return signals
}

// OutliveReaders makes a word that nobody reads any more no reason to die: the lock would be left behind. Unlike an ignored
// signal, one that is caught means to the command what it always does.
func OutliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Number returns the number of a signal.
func Number(sig os.Signal) int {
	number, _ := sig.(syscall.Signal)
	return int(number)
}
