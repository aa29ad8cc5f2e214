package process

import (
	"os"
	"syscall"
	"testing"
)

func TestAProcessMayHaveAnyName(t *testing.T) {
	for text, want := range map[string]status{
		"12 (sh) S 3 4 5 0":          {pid: 12, parent: 3, group: 4},
		"12 (a) Z 9 9 (b) R 3 4 5 0": {pid: 12, parent: 3, group: 4},
		"12 (line\nline) Z 3 4 5":    {pid: 12, parent: 3, group: 4, dead: true},
		"12 (x) X 3 4 5":             {pid: 12, parent: 3, group: 4, dead: true},
		"12 (cut":                    {pid: 12, dead: true},
		"":                           {pid: 12, dead: true},
	} {
		if got := parse(12, []byte(text)); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

func TestWeSeeOurselves(t *testing.T) {
	for _, s := range processes() {
		if s.pid == os.Getpid() {
			if s.parent != os.Getppid() || s.group != syscall.Getpgrp() || s.dead {
				t.Errorf("we are %+v", s)
			}
			return
		}
	}
	t.Error("we are not among the processes")
}

func TestStrangersAndWhatDescendsFromThemAreNoRelatives(t *testing.T) {
	all := []status{{pid: 5, parent: 4}, {pid: 4, parent: 2}, {pid: 3, parent: 1}, {pid: 2, parent: 1}, {pid: 6, parent: 3}, {pid: 9, parent: 8}}
	got := relatives(all, 1, []int{3})
	if len(got) != 4 || !got[1] || !got[2] || !got[4] || !got[5] {
		t.Errorf("the relatives are %v", got)
	}
}
