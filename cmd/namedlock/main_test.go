//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The words that make the test binary play the part of a command that is run.
const (
	beReporter = "be-reporter" // a program that tells of the signals it gets
	beStubborn = "be-stubborn" // a program that ignores TERM and tells the time as long as it lives
)

func TestMain(m *testing.M) {
	switch part := append(os.Args, "")[1]; part {
	case beReporter:
		reportSignals()
	case beStubborn:
		tellTime()
	default:
		heedSignals()
		os.Exit(runTests(m))
	}
}

// built is the path of the command, built as it is shipped, and with the race detector where the tests have it.
var built string

// runTests builds the command and runs the tests on it.
func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "namedlock-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	built = filepath.Join(folder, "namedlock")
	build := exec.Command("go", append(append([]string{"build"}, raceFlags...), "-o", built, ".")...)
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the command cannot be built: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// heedSignals makes what the tests start begin as at a prompt, also where these tests run in the background of a script or
// under nohup, whose ignored signals would be inherited.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// reportSignals prints a line for each signal until its input ends, and then exits with 5.
func reportSignals() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for sig := range signals {
			fmt.Println(sig)
		}
	}()
	fmt.Println("ready")
	bufio.NewScanner(os.Stdin).Scan()
	os.Exit(5)
}

// tellTime prints the time for as long as it can.
func tellTime() {
	signal.Ignore(syscall.SIGTERM)
	for {
		if _, err := fmt.Println(time.Now().UnixMicro()); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
