package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/alkstore/namedlock/bench/internal/stores"
)

// The variables turn this program into one of the processes that take turns.
const (
	kindVariable  = "BENCH_KIND"
	placeVariable = "BENCH_PLACE"
	turnsVariable = "BENCH_TURNS"
)

func TestMain(m *testing.M) {
	kind := os.Getenv(kindVariable)
	if kind == "" {
		os.Exit(m.Run())
	}
	if err := serve(stores.Place{Kind: kind, At: os.Getenv(placeVariable)}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve takes turns from the end of the input on, and prints them.
func serve(place stores.Place) error {
	n, err := strconv.Atoi(os.Getenv(turnsVariable))
	if err != nil {
		return err
	}
	locker, err := stores.Open(context.Background(), place)
	if err != nil {
		return err
	}
	defer locker.Close()
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	d := takeTurns(locker, fmt.Sprint(os.Getpid()), n)
	return errors.Join(d.err, json.NewEncoder(os.Stdout).Encode(d.turns))
}

// amongProcesses lets processes take turns.
func amongProcesses(b *testing.B, place stores.Place) []turn {
	gate, all := startAll(b, place)
	_ = gate.Close()
	reports := make([]done, len(all))
	for i, one := range all {
		reports[i].err = errors.Join(json.NewDecoder(one.output).Decode(&reports[i].turns), one.Wait())
	}
	return together(b, reports)
}

// process is one of the processes, and what it prints.
type process struct {
	*exec.Cmd
	output io.Reader
}

// startAll starts the processes, which begin when the gate is closed.
func startAll(b *testing.B, place stores.Place) (gate *os.File, all []process) {
	b.Helper()
	input, gate, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = input.Close() }()
	for range processes {
		one, err := start(place, b.N/processes+2, input)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, one)
	}
	return gate, all
}

// start starts one process and waits until it is ready.
func start(place stores.Place, turns int, input *os.File) (process, error) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), kindVariable+"="+place.Kind, placeVariable+"="+place.At, fmt.Sprint(turnsVariable, "=", turns))
	command.Stdin, command.Stderr = input, os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return process{}, err
	}
	if err := command.Start(); err != nil {
		return process{}, err
	}
	if _, err := io.ReadFull(output, make([]byte, len("ready\n"))); err != nil {
		return process{}, err
	}
	return process{command, output}, nil
}
