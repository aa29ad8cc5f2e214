// Command against compares the cycle of a try and a release with the one of an earlier commit:
//
//	scripts/with-postgres go -C bench run ./against COMMIT
//
// Both are built from the same benchmark and run in turn, so that what else the machine does hits both. It prints, for each
// case, the median of the rounds' ratios of throughput: above one the tree as it is now is faster.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 9, "how often each is run")
	benchtime := flag.String("benchtime", "300ms", "how long each case is run in a round, as for go test")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run ./against [-rounds N] [-benchtime D] COMMIT")
	}
	if err := compare(flag.Arg(0), *rounds, *benchtime); err != nil {
		log.Fatal("against: ", err)
	}
}

// compare builds both programs, runs them in turn and prints the ratios.
func compare(commit string, rounds int, benchtime string) (err error) {
	scratch, err := os.MkdirTemp("", "against")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	before, now := filepath.Join(scratch, "before.test"), filepath.Join(scratch, "now.test")
	if err := buildBefore(scratch, commit, before); err != nil {
		return err
	}
	if err := run("go", "test", "-c", "-o", now, "./cycle"); err != nil {
		return err
	}
	ratios := map[string][]float64{}
	for range rounds {
		if err := playRound(before, now, benchtime, ratios); err != nil {
			return err
		}
	}
	show(commit, ratios)
	return nil
}

// buildBefore builds the benchmark with the library as it was at the commit.
func buildBefore(scratch, commit, program string) (err error) {
	library := filepath.Join(scratch, "library")
	if err := run("git", "worktree", "add", "--detach", "--quiet", library, commit); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run("git", "worktree", "remove", "--force", library)) }()
	module := filepath.Join(scratch, "before.mod")
	for from, to := range map[string]string{"go.mod": module, "go.sum": filepath.Join(scratch, "before.sum")} {
		if err := run("cp", from, to); err != nil {
			return err
		}
	}
	if err := run("go", "mod", "edit", "-replace=github.com/alkstore/namedlock="+library, module); err != nil {
		return err
	}
	return run("go", "test", "-c", "-mod=mod", "-modfile="+module, "-o", program, "./cycle")
}

// run runs a command.
func run(name string, arguments ...string) error {
	command := exec.Command(name, arguments...)
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(arguments, " "), err)
	}
	return nil
}

// playRound runs both programs, case by case, and adds what they tell to the ratios.
func playRound(before, now, benchtime string, ratios map[string][]float64) error {
	for _, what := range []string{"memory", "sqlite", "postgres"} {
		old, err := measure(before, what, benchtime)
		if err != nil {
			return err
		}
		current, err := measure(now, what, benchtime)
		if err != nil {
			return err
		}
		for name, took := range current {
			ratios[name] = append(ratios[name], old[name]/took)
		}
	}
	return nil
}

// measure returns the nanoseconds that each case of a program takes.
func measure(program, what, benchtime string) (map[string]float64, error) {
	command := exec.Command(program, "-test.run=^$", "-test.bench=Cycle/"+what, "-test.benchtime="+benchtime)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	took := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 4 && fields[3] == "ns/op" {
			if took[fields[0]], err = strconv.ParseFloat(fields[2], 64); err != nil {
				return nil, err
			}
		}
	}
	return took, nil
}

// show prints the median of each case.
func show(commit string, ratios map[string][]float64) {
	names := make([]string, 0, len(ratios))
	for name := range ratios {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		all := slices.Sorted(slices.Values(ratios[name]))
		fmt.Printf("%-30s %.2f times the throughput of %s (%.2f to %.2f in %d rounds)\n",
			name, all[len(all)/2], commit, all[0], all[len(all)-1], len(all))
	}
}
