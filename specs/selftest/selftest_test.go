package selftest

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/alkstore/namedlock/specs"
)

// mutantVariable in the environment makes this program run the contract on the mutant of that name instead of testing.
const mutantVariable = "NAMEDLOCK_MUTANT"

// failedMark begins the lines by which such a run tells its parent which specs failed.
const failedMark = "failed spec: "

func TestMain(m *testing.M) {
	if name, isMutant := os.LookupEnv(mutantVariable); isMutant {
		flag.Parse()
		os.Exit(runContract(name))
	}
	os.Exit(m.Run())
}

// runContract runs the contract on a mutant, or on the healthy store when the name is empty, and returns an exit code.
func runContract(name string) int {
	mutant := mutantOf(name)
	specs.Contract("A mutant", specs.InjectedClock, func(ginkgo.SpecContext) specs.Store { return opened(mutant) })
	ginkgo.ReportAfterSuite("tell", func(report ginkgo.Report) {
		for _, spec := range report.SpecReports {
			if spec.Failed() {
				fmt.Printf("\n%s%s\n", failedMark, spec.LeafNodeText)
			}
		}
	})
	gomega.RegisterFailHandler(ginkgo.Fail)
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FocusStrings = focus(mutant.row)
	if ginkgo.RunSpecs(deaf{}, "The contract on a mutant", suite, reporter) {
		return 0
	}
	return 1
}

// focus lets a mutant meet only the specs of the row that forbids it. The healthy store meets all.
func focus(row string) []string {
	if row == "" {
		return nil
	}
	return []string{` ` + row + ` `}
}

// deaf takes no notice of a failed suite: RunSpecs returns it too.
type deaf struct{}

func (deaf) Fail() {}

// opened opens two handles of a store that is broken as the mutant says.
func opened(mutant mutant) specs.Store {
	clock := specs.NewClock()
	s := newStore(clock)
	if mutant.mutate != nil {
		mutant.mutate(s)
	}
	return specs.Store{
		Repository:       &handle{store: s},
		Rival:            &handle{store: s},
		Clock:            clock,
		Transaction:      func(_ context.Context, work func()) { s.transaction(work) },
		ConnectionsInUse: func() int { return s.pool.inUse },
		Ping:             func(context.Context) error { return s.pool.ping() },
	}
}

func TestAHealthyStorePasses(t *testing.T) {
	failed, output := runOn(t, "")
	if len(failed) > 0 || !strings.Contains(output, "0 Failed") {
		t.Fatalf("the contract is wrong, or the store is: %v\n%s", failed, output)
	}
}

func TestEachMutantIsCaughtByTheRowThatForbidsIt(t *testing.T) {
	for _, mutant := range mutants() {
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			failed, output := runOn(t, mutant.name)
			if !forbids(failed, mutant.row) {
				t.Errorf("no spec of %s failed, only %q\n%s", mutant.row, failed, output)
			}
		})
	}
}

// forbids reports whether one of the titles begins with the row.
func forbids(titles []string, row string) bool {
	for _, title := range titles {
		if strings.HasPrefix(title, row+" ") {
			return true
		}
	}
	return false
}

// runOn runs the contract on a mutant, in a process of its own, and returns the titles of the specs that failed.
func runOn(t *testing.T, name string) (failed []string, output string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), mutantVariable+"="+name)
	written, err := command.CombinedOutput()
	for lines := bufio.NewScanner(bytes.NewReader(written)); lines.Scan(); {
		if title, found := strings.CutPrefix(lines.Text(), failedMark); found {
			failed = append(failed, title)
		}
	}
	if (err == nil) != (len(failed) == 0) {
		t.Fatalf("the run ended in %v with %d specs failed\n%s", err, len(failed), written)
	}
	return failed, string(written)
}
