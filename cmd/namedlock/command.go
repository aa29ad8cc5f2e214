package main

import (
	"io"

	"github.com/spf13/cobra"
)

// execute carries out the command line, says on words how it failed, and returns the exit code.
func execute(args []string, words io.Writer) int {
	outliveReaders()
	command := newCommand()
	command.SetArgs(args)
	command.SetErr(words)
	return report(words, command.Execute())
}

// newCommand returns the command with those below it. Errors are said by [report] alone.
func newCommand() *cobra.Command {
	command := &cobra.Command{
		Use:               "namedlock",
		Short:             "Run a program while holding a named lock",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              refuseNothing,
	}
	command.AddCommand(newRunCommand())
	return command
}

// refuseNothing shows the help to who asked for nothing. It is no answer, so it does not go to the standard output.
func refuseNothing(command *cobra.Command, _ []string) error {
	command.SetOut(command.ErrOrStderr())
	return exit{code: codeUsage, err: command.Help()}
}
