package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
)

const (
	// askBound is how long the store may take to answer the first time.
	askBound = 10 * time.Second
	// longBound is how long it may take for what goes through all locks.
	longBound = 10 * time.Minute
)

// storeFlag is where the command line says the store is.
type storeFlag struct {
	text   string
	given  bool
	chosen store
}

// add adds the flag to a command.
func (s *storeFlag) add(command *cobra.Command) {
	command.Flags().StringVar(&s.text, "store", "", "where the locks are, as a `URL`: sqlite:PATH or postgres://USER@HOST:PORT/DATABASE; "+
		"without it, what NAMEDLOCK_STORE says, and without that a file in the home folder")
}

// choose returns the store of a command line that was read.
func (s *storeFlag) choose(command *cobra.Command) (chosen store, err error) {
	s.given = command.Flags().Changed("store")
	s.chosen, err = chooseStore(s.text, s.given)
	return s.chosen, err
}

// use runs ask on a store that is there, for as long as the bound says.
func (s *storeFlag) use(command *cobra.Command, bound time.Duration, ask func(context.Context, *namedlock.Locker) error) error {
	chosen, err := s.choose(command)
	if err != nil {
		return err
	}
	if chosen.path != "" {
		if _, err := os.Stat(chosen.path); err != nil {
			return exit{codeStore, missing{err}}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), askBound)
	defer cancel()
	locker, closeStore, err := chosen.open(ctx, nil)
	if err != nil {
		return exit{codeStore, err}
	}
	defer closeStore()
	asking, end := context.WithTimeout(context.Background(), bound)
	defer end()
	return ask(asking, locker)
}

// missing is the error for a file that is not there yet, with what to do.
type missing struct{ error }

func (m missing) Error() string {
	return m.error.Error() + `; the file is made by the first "run" or "acquire", and by "migrate"`
}

func (m missing) Unwrap() error { return m.error }
