package postgres_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// private is a server that a test has to itself, and may stop.
type private struct {
	t       *testing.T
	url     string
	control string
}

// newPrivate starts a server, which is gone after the test.
func newPrivate(t *testing.T) private {
	t.Helper()
	command := exec.Command("../../scripts/with-postgres", "sh", "-c", `echo "$PGURL"; echo "$NAMEDLOCK_PG_CTL"; cat`)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PGURL=") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = command.Wait()
	})
	lines := bufio.NewScanner(output)
	p := private{t: t, url: line(t, lines), control: line(t, lines)}
	return p
}

func line(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	if !lines.Scan() {
		t.Fatalf("no server of its own for this test: %v", lines.Err())
	}
	return lines.Text()
}

// stop ends the server as a crash would, and start starts it again.
func (p private) stop()  { p.tell("stop -m immediate") }
func (p private) start() { p.tell("start") }

func (p private) tell(what string) {
	p.t.Helper()
	if output, err := exec.Command("sh", "-c", p.control+" "+what).CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, output)
	}
}
