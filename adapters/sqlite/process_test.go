package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

// roleVariable and pathVariable turn this program into another process that does something else with a file.
const (
	roleVariable = "NAMEDLOCK_TEST_ROLE"
	pathVariable = "NAMEDLOCK_TEST_PATH"
)

// roles are what another process can do.
var roles = map[string]func(path string) error{
	"opener":    atTheGate(beOpener),
	"contender": atTheGate(beContender),
	"migrator":  atTheGate(beDyingMigrator),
	"writer":    beWriter,
	"holder":    beHolder,
	"idler":     beIdler,
	"nobody":    beNobody,
}

func TestMain(m *testing.M) {
	role, is := roles[os.Getenv(roleVariable)]
	if !is {
		os.Exit(m.Run())
	}
	if err := role(os.Getenv(pathVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ready tells the parent, and waits until it lets this process go on.
func ready() {
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// atTheGate lets a role begin when the parent says so.
func atTheGate(role func(path string) error) func(path string) error {
	return func(path string) error {
		ready()
		return role(path)
	}
}

// crew are processes that have said that they are ready.
type crew struct {
	members []*exec.Cmd
	gate    *os.File
}

// startCrew starts n processes in a role and waits until each is ready.
func startCrew(t testing.TB, n int, role, path string) crew {
	t.Helper()
	input, gate, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	t.Cleanup(func() { _ = gate.Close() })
	c := crew{gate: gate}
	for range n {
		c.members = append(c.members, start(t, role, path, input))
	}
	return c
}

// process returns this program in a role, not started yet. The race detector would let it wait a second at its end.
func process(role, path string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	race := "GORACE=" + os.Getenv("GORACE") + " atexit_sleep_ms=0"
	command.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path, race)
	command.Stderr = os.Stderr
	return command
}

// start starts one process and waits until it is ready.
func start(t testing.TB, role, path string, input *os.File) *exec.Cmd {
	t.Helper()
	command := process(role, path)
	command.Stdin = input
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatalf("a %s is not ready: %q, %v", role, line, err)
	}
	return command
}

// goOn lets all of them go on at the same moment.
func (c crew) goOn() { _ = c.gate.Close() }

// failures waits for the end of all of them and returns how many failed.
func (c crew) failures() (failed int) {
	for _, member := range c.members {
		if member.Wait() != nil {
			failed++
		}
	}
	return failed
}

// runAll runs n processes that begin at the same moment, and fails when one of them does.
func runAll(t testing.TB, n int, role, path string) {
	t.Helper()
	c := startCrew(t, n, role, path)
	c.goOn()
	if failed := c.failures(); failed > 0 {
		t.Errorf("%d of %d processes failed", failed, n)
	}
}

// beOpener opens the file and takes a lock of its own.
func beOpener(path string) error {
	repo, err := sqlite.Open(context.Background(), path, ports.SystemClock{})
	if err != nil {
		return err
	}
	_, _, err = namedlock.New(repo).TryLock(context.Background(), fmt.Sprint(os.Getpid()), "A", time.Hour)
	return err
}

// beWriter holds the writer of the file until it is told to go on.
func beWriter(path string) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=10000&_txlock=immediate")
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	ready()
	return tx.Commit()
}
