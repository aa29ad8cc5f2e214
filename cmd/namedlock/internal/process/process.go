// Package process runs a command so that nothing of it is left when it is over: it passes signals on, and ends the command
// together with what the command started.
//
// What a system lets us do differs. Where there is no terminal the command gets a process group of its own, which is ended
// as a whole; a command at a terminal stays in our group, so that the keys for interrupting and stopping reach it as they
// would without us. On Linux its descendants in that group are found and ended too, and the command dies with us, even by
// SIGKILL. Other Unix systems can do neither, and Windows can only end the command itself.
package process

import (
	"os"
	"os/exec"
	"runtime"
	"time"
)

// It is looked again and again whether what a command left behind has ended, since there is nothing that would tell: soon at
// first, then more rarely.
const (
	firstPoll = 5 * time.Millisecond
	lastPoll  = 200 * time.Millisecond
)

// Process is a command at work, with what it started.
type Process struct {
	cmd    *exec.Cmd
	family family
	// exited is closed when the command has ended.
	exited chan struct{}
}

// Start starts the command with additions to our environment. Its arguments, input, output and terminal are what we were
// given, untouched, and so are files that we inherited. The error is that of os/exec.
func Start(command, environment []string) (*Process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), environment...)
	p := &Process{cmd: cmd, exited: make(chan struct{})}
	p.family.prepare(cmd)
	started := make(chan error)
	go p.live(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// live starts the command and stays until it has ended, in one thread: Linux kills the command when the thread that started
// it ends.
func (p *Process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		p.family.begin(p.cmd.Process)
	}
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // the state says more
		close(p.exited)
	}
}

// Exited returns a channel that is closed when the command has ended. What it started may live on: see Clear.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// ExitCode returns the code of a command that has ended, as a shell shows it: 128 and the number of the signal that ended
// it, if one did.
func (p *Process) ExitCode() int { return CodeOf(p.cmd.ProcessState) }

// Forward passes a signal on to the command, unless the command has it already. One that has ended needs none.
func (p *Process) Forward(sig os.Signal) {
	if !p.family.has(sig) {
		_ = p.cmd.Process.Signal(sig)
	}
}

// Terminate asks the command and what it started to end.
func (p *Process) Terminate() { p.family.terminate() }

// Kill ends the command and what it started.
func (p *Process) Kill() { p.family.kill() }

// Gone returns a channel that is closed when nothing that the command started is left.
func (p *Process) Gone() <-chan struct{} {
	gone := make(chan struct{})
	if !p.family.lives() {
		close(gone)
		return gone
	}
	go func() {
		defer close(gone)
		for pause := firstPoll; p.family.lives(); pause = min(2*pause, lastPoll) {
			time.Sleep(pause)
		}
	}()
	return gone
}
