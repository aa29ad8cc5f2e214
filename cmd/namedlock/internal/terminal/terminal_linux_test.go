package terminal

import (
	"os"
	"strings"
	"testing"
)

func TestOnlyATerminalIsOne(t *testing.T) {
	for _, path := range []string{os.DevNull, "/proc/self/stat"} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if Is(file) {
			t.Errorf("%s is taken for a terminal", path)
		}
	}
	if Is(&strings.Builder{}) {
		t.Error("a text is taken for a terminal")
	}
}

func TestColourIsForTerminalsWhoseReaderWantsIt(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	if got := Coloured(terminal, Red, "no"); got != "\x1b[31mno\x1b[0m" {
		t.Errorf("at a terminal it is %q", got)
	}
	if got := Coloured(&strings.Builder{}, Red, "no"); got != "no" {
		t.Errorf("elsewhere it is %q", got)
	}
	t.Setenv("TERM", "dumb")
	if got := Coloured(terminal, Red, "no"); got != "no" {
		t.Errorf("at a dumb terminal it is %q", got)
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	if got := Coloured(terminal, Red, "no"); got != "no" {
		t.Errorf("where nobody wants colours it is %q", got)
	}
}
