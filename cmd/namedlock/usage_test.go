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
