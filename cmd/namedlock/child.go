package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/alkstore/namedlock"
)

// child is the command while it runs.
type child struct {
	cmd *exec.Cmd
	// exited is closed when the command has ended.
	exited chan struct{}
}

// environment returns what the command is told about the lock.
func environment(lock *namedlock.Lock) []string {
	return []string{
		"NAMEDLOCK_NAME=" + lock.Name(),
		"NAMEDLOCK_OWNER=" + lock.Owner(),
		"NAMEDLOCK_TOKEN=" + strconv.FormatInt(int64(lock.Token()), 10),
		"NAMEDLOCK_DEADLINE=" + lock.Deadline().Format(time.RFC3339Nano),
	}
}

// start starts the command in our own process group, so that a terminal treats it as it would without us. Its arguments,
// input and output are what we were given, untouched.
func start(command, environment []string) (*child, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), environment...)
	if err := cmd.Start(); err != nil {
		return nil, notStarted(err)
	}
	c := &child{cmd: cmd, exited: make(chan struct{})}
	go func() {
		defer close(c.exited)
		_ = cmd.Wait() // the state says more
	}()
	return c, nil
}

// notStarted returns the exit of a command that could not be started, with a shell's code for it.
func notStarted(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exit{codeNotFound, err}
	}
	return exit{codeNotExecutable, err}
}

// supervise passes signals on until the command has ended, and returns its exit code. When the lock is lost the command is
// asked to end, made to end when its grace is over, and the loss is returned.
func (c *child) supervise(signals <-chan os.Signal, lost <-chan *loss) (code int, err error) {
	var kill <-chan time.Time
	for {
		select {
		case <-c.exited:
			return exitCode(c.cmd.ProcessState), err
		case sig := <-signals:
			forward(c.cmd.Process, sig)
		case l := <-lost:
			err = l
			terminate(c.cmd.Process)
			kill = time.After(l.grace)
		case <-kill:
			_ = c.cmd.Process.Kill()
		}
	}
}

// exitCode returns the code of a process that has ended, as a shell shows it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return codeSignal + int(status.Signal())
	}
	return state.ExitCode()
}
