//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadUsageIs64AndStartsNothing(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "started")
	touch := []string{"--", "touch", marker}
	for title, test := range map[string]struct {
		args  []string
		words string
	}{
		"unknown command":      {[]string{"walk", "x"}, "walk"},
		"unknown flag":         {[]string{"run", "x", "--wiat"}, "--wiat"},
		"no dashes":            {[]string{"run", "x"}, `"--"`},
		"no name":              {append([]string{"run"}, touch...), "NAME"},
		"two names":            {append([]string{"run", "x", "y"}, touch...), "NAME"},
		"no command":           {[]string{"run", "x", "--"}, "COMMAND"},
		"empty command":        {[]string{"run", "x", "--", ""}, "COMMAND"},
		"empty name":           {append([]string{"run", ""}, touch...), "invalid name"},
		"white name":           {append([]string{"run", " \t"}, touch...), "invalid name"},
		"long name":            {append([]string{"run", strings.Repeat("x", 256)}, touch...), "invalid name"},
		"name not UTF-8":       {append([]string{"run", "\xff"}, touch...), "invalid name"},
		"reserved name":        {append([]string{"run", "namedlock:x"}, touch...), "reserved name"},
		"ttl of zero":          {append([]string{"run", "x", "--ttl", "0"}, touch...), "--ttl"},
		"negative ttl":         {append([]string{"run", "x", "--ttl", "-5s"}, touch...), "--ttl"},
		"ttl without a unit":   {append([]string{"run", "x", "--ttl", "5"}, touch...), "--ttl"},
		"ttl of unknown unit":  {append([]string{"run", "x", "--ttl", "5d"}, touch...), "--ttl"},
		"negative wait":        {append([]string{"run", "x", "--wait", "-1s"}, touch...), "--wait"},
		"wait without a unit":  {append([]string{"run", "x", "--wait", "10"}, touch...), "10s"},
		"grace above the ttl":  {append([]string{"run", "x", "--ttl", "10s", "--grace", "6s"}, touch...), "at least 12s"},
		"unknown loss":         {append([]string{"run", "x", "--on-lost", "panic"}, touch...), "--on-lost"},
		"exit code too high":   {append([]string{"run", "x", "--held-exit", "256"}, touch...), "--held-exit"},
		"exit code too low":    {append([]string{"run", "x", "--held-exit", "-1"}, touch...), "--held-exit"},
		"at least nothing":     {append([]string{"run", "x", "--at-least", "0"}, touch...), "--at-least"},
		"at most nothing":      {append([]string{"run", "x", "--at-most", "0s"}, touch...), "--at-most"},
		"white owner":          {append([]string{"run", "x", "--owner", " "}, touch...), "--owner"},
		"show without a name":  {[]string{"show"}, "NAME"},
		"show of two names":    {[]string{"show", "x", "y"}, "NAME"},
		"show of no name":      {[]string{"show", ""}, "invalid name"},
		"list of two prefixes": {[]string{"list", "x", "y"}, "PREFIX"},
		"break with no token":  {[]string{"break", "x", "--token", "many"}, "--token"},
		"release of whose":     {[]string{"release", "x"}, "--owner"},
		"doctor of what":       {[]string{"doctor", "x"}, "x"},
		"empty ttl":            {append([]string{"run", "x", "--ttl", ""}, touch...), "--ttl"},
		"empty store":          {append([]string{"run", "x", "--store", ""}, touch...), "--store names no store"},
		"store without a path": {append([]string{"run", "x", "--store", "sqlite:"}, touch...), "sqlite:PATH"},
		"unknown store":        {append([]string{"run", "x", "--store", "mysql://me:secret@host"}, touch...), "postgres://"},
		"bare path":            {append([]string{"run", "x", "--store", "/tmp/x.db"}, touch...), "sqlite:PATH"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := namedlockCommand(t, test.args...)
			cmd.Env = append(cmd.Env, "HOME="+home)
			got := finish(t, cmd)
			got.checkFailure(t, codeUsage, test.words)
			if got.out != "" || strings.Contains(got.err, "secret") {
				t.Errorf("it printed %q and said %q", got.out, got.err)
			}
			checkMissing(t, marker)
			checkMissing(t, filepath.Join(home, ".local"))
		})
	}
}

func TestNoCommandShowsTheHelpAndIs64(t *testing.T) {
	t.Parallel()
	got := run(t)
	if got.code != codeUsage || got.out != "" || !strings.Contains(got.err, "COMMANDS") {
		t.Errorf("%+v", got)
	}
}

func TestEachCommandHasAPageWithAnExampleAndItsExitCodes(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"run", "acquire", "renew", "release", "wait", "list", "show", "break", "purge", "migrate", "doctor", "version",
	} {
		got := run(t, command, "--help")
		got.checkCode(t, 0)
		for _, want := range []string{"SYNOPSIS\n    namedlock " + command, "DESCRIPTION", "EXIT STATUS", "    64 "} {
			if !strings.Contains(got.out, want) {
				t.Errorf("the help of %s does not tell %q:\n%s", command, want, got.out)
			}
		}
		if !strings.Contains(got.out, "EXAMPLES") && command != "version" {
			t.Errorf("the help of %s has no example", command)
		}
		for line := range strings.Lines(got.out) {
			if len(line) > 110 {
				t.Errorf("the help of %s has a long line: %s", command, line)
			}
		}
	}
}

func TestHelpTellsTheExitCodesAndAnExample(t *testing.T) {
	t.Parallel()
	got := run(t, "run", "--help")
	got.checkCode(t, 0)
	for _, want := range []string{"namedlock run reports/nightly", "NAMEDLOCK_TOKEN", "64 ", "69 ", "75 ", "76 ", "126 ", "127 ", "128+n"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the help does not tell %q:\n%s", want, got.out)
		}
	}
}

// checkMissing fails if there is something at path.
func checkMissing(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", path, err)
	}
}
