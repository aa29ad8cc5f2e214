package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes let the command die when we do.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// adoptOrphans makes us the parent of what loses its own, so that a descendant stays one.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// status is what the system tells about a process.
type status struct {
	pid, parent, group int
	// dead is whether it has ended and only its code is left. A group of such processes still takes signals.
	dead bool
}

// groupLives reports whether somebody in a process group that takes signals lives. Where no process can be seen, it is so.
func groupLives(group int) bool {
	all := processes()
	return len(all) == 0 || slices.ContainsFunc(all, func(s status) bool { return s.group == group && !s.dead })
}

// descendants returns the processes in our group that descend from us, and not from strangers, and live.
func descendants(strangers []int) []int {
	all, self, group := processes(), os.Getpid(), syscall.Getpgrp()
	related := relatives(all, self, strangers)
	var living []int
	for _, s := range all {
		if related[s.pid] && s.pid != self && s.group == group && !s.dead {
			living = append(living, s.pid)
		}
	}
	return living
}

// relatives returns the process and those that descend from it, and not from strangers.
func relatives(all []status, self int, strangers []int) map[int]bool {
	related := map[int]bool{self: true}
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if related[s.parent] && !related[s.pid] && !slices.Contains(strangers, s.pid) {
				related[s.pid], grown = true, true
			}
		}
	}
	return related
}

// processes returns all processes that we can see.
func processes() []status {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	var all []status
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if text, err := os.ReadFile("/proc/" + name + "/stat"); err == nil {
			all = append(all, parse(pid, text))
		}
	}
	return all
}

// parse reads a line "PID (NAME) STATE PARENT GROUP ...". The name may hold anything, also parentheses.
func parse(pid int, text []byte) status {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return status{pid: pid, dead: true}
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	group, _ := strconv.Atoi(string(fields[2]))
	return status{pid: pid, parent: parent, group: group, dead: fields[0][0] == 'Z' || fields[0][0] == 'X'}
}
