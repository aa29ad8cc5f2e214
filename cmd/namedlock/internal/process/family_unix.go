//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// family is the command and what it started, as far as that stays in its process group.
type family struct {
	leader *os.Process
	// shared is whether the group is ours too, because there is a terminal.
	shared bool
	// strangers are processes that somebody started before in what became our process, as a shell does before its exec.
	strangers []int
}

// prepare decides in which group the command will be.
func (f *family) prepare(cmd *exec.Cmd) {
	f.shared = hasTerminal()
	if f.shared {
		adoptOrphans()
		f.strangers = descendants(nil)
	}
	cmd.SysProcAttr = attributes()
	cmd.SysProcAttr.Setpgid = !f.shared
}

// begin says which process is the command.
func (f *family) begin(leader *os.Process) { f.leader = leader }

// has reports whether the command got a signal by itself.
func (f *family) has(sig os.Signal) bool { return f.shared && reachesGroup(sig) }

func (f *family) terminate() { f.signal(syscall.SIGTERM) }

func (f *family) kill() { f.signal(syscall.SIGKILL) }

// signal sends a signal to all. In a shared group that is one process after the other, since it holds strangers too.
func (f *family) signal(sig syscall.Signal) {
	if !f.shared {
		_ = syscall.Kill(-f.leader.Pid, sig)
		return
	}
	_ = f.leader.Signal(sig)
	for _, pid := range descendants(f.strangers) {
		if pid != f.leader.Pid {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// lives reports whether somebody is left.
func (f *family) lives() bool {
	if f.shared {
		return len(descendants(f.strangers)) > 0
	}
	return !errors.Is(syscall.Kill(-f.leader.Pid, 0), syscall.ESRCH) && groupLives(f.leader.Pid)
}
