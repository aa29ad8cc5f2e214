package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestOnlyPostgresIsInTheBuild(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(list))
	for _, unwanted := range []string{
		"github.com/mattn/go-sqlite3",
		"github.com/alkstore/namedlock/adapters/sqlite",
		"github.com/alkstore/namedlock/adapters/memory",
		"github.com/spf13/cobra",
		"github.com/onsi/ginkgo/v2",
	} {
		if slices.ContainsFunc(packages, func(p string) bool { return p == unwanted || strings.HasPrefix(p, unwanted+"/") }) {
			t.Errorf("%s is in the build of a consumer that wires Postgres alone", unwanted)
		}
	}
	if !slices.Contains(packages, "github.com/jackc/pgx/v5/pgxpool") {
		t.Error("the list is not what it should be: it has no Postgres either")
	}
}

func TestTheReporterRuns(t *testing.T) {
	url := os.Getenv("PGURL")
	if url == "" {
		t.Fatal("PGURL is not set: run `make test` in the root of the repository, which starts a server")
	}
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "released: true") {
		t.Errorf("%v:\n%s", err, out)
	}
}
