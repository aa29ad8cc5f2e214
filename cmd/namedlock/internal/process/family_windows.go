package process

import (
	"os"
	"os/exec"
)

// family is the command alone: Windows has no process groups that could be ended.
type family struct{ leader *os.Process }

func (f *family) prepare(*exec.Cmd) {}

func (f *family) begin(leader *os.Process) { f.leader = leader }

// has is always true: the console tells the command by itself.
func (f *family) has(os.Signal) bool { return true }

// terminate ends the command, which on Windows cannot be asked.
func (f *family) terminate() { f.kill() }

func (f *family) kill() { _ = f.leader.Kill() }

func (f *family) lives() bool { return false }

// CodeOf returns the code of a process that has ended.
func CodeOf(state *os.ProcessState) int { return state.ExitCode() }
