package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock/cmd/namedlock/internal/terminal"
)

const doctorHelp = `Looks whether the store can be used, and prints what it finds, with what to do: whether it can be reached, read and written, the version of its tables, how far the clock of this host is from the server's, whether a pooler stands in between, and for a SQLite file how it keeps its journal and on which file system it is. It makes no tables; to see whether locks work it takes one with a name of its own and releases it.`

// newDoctorCommand returns the command that examines the store.
func newDoctorCommand() *cobra.Command {
	var from storeFlag
	var asJSON bool
	command := &cobra.Command{
		Use:     "doctor [options]",
		Short:   "look whether the store can be used",
		Long:    doctorHelp,
		Example: "namedlock doctor --store postgres://app@db/app",
		Args:    nothing,
		Annotations: exits(meaning{"0", "nothing stands in the way; there may be warnings"},
			meaning{"69", "the store cannot be used"}),
		DisableFlagsInUseLine: true,
	}
	from.add(command)
	addJSON(command, &asJSON, `store, and checks: an array of check, status ("ok", "warning" or "failed"), found and advice`)
	command.RunE = func(command *cobra.Command, _ []string) error {
		chosen, err := from.choose(command)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*askBound)
		defer cancel()
		report := diagnosis{Store: chosen.String(), Checks: examine(ctx, chosen)}
		if err := report.print(command.OutOrStdout(), asJSON); err != nil {
			return printed(err)
		}
		return report.verdict()
	}
	return command
}

// The outcomes of a check.
const (
	ok      = "ok"
	warning = "warning"
	failed  = "failed"
)

// check is one thing that was looked at.
type check struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// diagnosis is all that was looked at.
type diagnosis struct {
	Store  string  `json:"store"`
	Checks []check `json:"checks"`
}

// verdict returns the exit for a store that cannot be used.
func (d diagnosis) verdict() error {
	for _, c := range d.Checks {
		if c.Status == failed {
			return exit{codeStore, errors.New("the store cannot be used")}
		}
	}
	return nil
}

// print shows the diagnosis.
func (d diagnosis) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, d)
	}
	colours := map[string]string{ok: terminal.Green, warning: terminal.Yellow, failed: terminal.Red}
	if _, err := fmt.Fprintln(w, d.Store); err != nil {
		return err
	}
	for _, c := range d.Checks {
		status := terminal.Coloured(w, colours[c.Status], fmt.Sprintf("%-7s", c.Status))
		if _, err := fmt.Fprintf(w, "%s  %-11s  %s\n", status, c.Check, oneLine(c.Found)); err != nil {
			return err
		}
		if c.Advice != "" {
			if _, err := fmt.Fprintf(w, "%22s%s\n", "", c.Advice); err != nil {
				return err
			}
		}
	}
	return nil
}
