package manual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// page is a command with all that a page can show.
func page() *cobra.Command {
	root := &cobra.Command{Use: "tool COMMAND", Short: "does things", Long: "Does.", Annotations: map[string]string{Exits: "0\tdone\n"}}
	below := &cobra.Command{
		Use:         "go FAR",
		Short:       "goes",
		Long:        "Goes from here to there and, since this is a long way to go, needs more than one line for it.\n\n  .as it \\stands\n  'here\n\nBack.",
		Example:     "tool go home\ntool go on",
		Annotations: map[string]string{Exits: "0\tarrived\n128+n\tsignal n came\n"},
		Run:         func(*cobra.Command, []string) {},
	}
	below.Flags().String("speed", "", "how fast, as `KMH`")
	hidden := &cobra.Command{Use: "secret", Hidden: true, Annotations: below.Annotations, Run: below.Run}
	foreign := &cobra.Command{Use: "foreign", Short: "is not ours", Run: below.Run}
	root.AddCommand(below, hidden, foreign)
	return root
}

const wantHelp = `NAME
    tool-go - goes

SYNOPSIS
    tool go FAR

DESCRIPTION
    Goes from here to there and, since this is a long way to go, needs more than
    one line for it.

      .as it \stands
      'here

    Back.

OPTIONS
    --speed KMH  how fast, as KMH

EXAMPLES
    tool go home
    tool go on

EXIT STATUS
    0      arrived
    128+n  signal n came

SEE ALSO
    tool(1)
`

const wantRoff = `.TH "TOOL-GO" 1 "" "namedlock" "User Commands"
.SH NAME
tool\-go \- goes
.SH SYNOPSIS
.PP
.nf
tool go FAR
.fi
.SH DESCRIPTION
Goes from here to there and, since this is a long way to go, needs more than one line for it.
.PP
.nf
  .as it \estands
  'here
.fi
.PP
Back.
.SH OPTIONS
.TP
.B \-\-speed KMH
how fast, as KMH
.SH EXAMPLES
.PP
.nf
tool go home
tool go on
.fi
.SH EXIT STATUS
.TP
.B 0
arrived
.TP
.B 128+n
signal n came
.SH SEE ALSO
tool(1)
`

func TestHelpAndManualPageShowOneText(t *testing.T) {
	command, _, err := page().Find([]string{"go"})
	if err != nil {
		t.Fatal(err)
	}
	var help, roff strings.Builder
	if err := Help(&help, command); err != nil || help.String() != wantHelp {
		t.Errorf("%v, the help is\n%s", err, help.String())
	}
	if err := Roff(&roff, command); err != nil || roff.String() != wantRoff {
		t.Errorf("%v, the page is\n%s", err, roff.String())
	}
}

func TestWhatRoffWouldObeyIsEscaped(t *testing.T) {
	if got := escaped("a-b\n.B c\n'd\\e"); got != "a\\-b\n\\&.B c\n\\&'d\\ee" {
		t.Errorf("%q", got)
	}
}

func TestEachCommandOfOurOwnHasAPage(t *testing.T) {
	folder := t.TempDir()
	if err := WritePages(folder, page()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "tool-go.1" || filepath.Base(files[1]) != "tool.1" {
		t.Errorf("%v, %v", files, err)
	}
	root, err := os.ReadFile(files[1])
	if err != nil || !strings.Contains(string(root), "tool\\-go(1)\n") || strings.Contains(string(root), "secret") {
		t.Errorf("%v in\n%s", err, root)
	}
	if err := WritePages(filepath.Join(folder, "none"), page()); err == nil {
		t.Error("pages were written to a folder that is not there")
	}
}
