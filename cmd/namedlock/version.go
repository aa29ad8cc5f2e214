package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newVersionCommand returns the command that tells which release this is.
func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "tell which release this is",
		Long:        "Prints the release, the commit that it was built from where that is known, and with which Go.",
		Args:        nothing,
		Annotations: exits(),
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(command.OutOrStdout(), version())
			return printed(err)
		},
		DisableFlagsInUseLine: true,
	}
}

// version returns what the build says of itself.
func version() string {
	release, commit := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		release = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = " " + setting.Value
			}
		}
	}
	return fmt.Sprintf("namedlock %s%s %s %s/%s", release, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// nothing lets a command be given no arguments.
func nothing(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%q is one word too many", args[0])
	}
	return nil
}
