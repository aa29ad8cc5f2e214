package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// WritePages writes the manual pages of a command and of all below it into a folder, which is there.
func WritePages(folder string, command *cobra.Command) error {
	var b strings.Builder
	if err := Roff(&b, command); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, PageName(command)+".1"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	for _, below := range command.Commands() {
		if hasPage(below) {
			if err := WritePages(folder, below); err != nil {
				return err
			}
		}
	}
	return nil
}

// Roff writes the page of a command for man.
func Roff(w io.Writer, command *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"namedlock\" \"User Commands\"\n", strings.ToUpper(PageName(command)))
	for _, s := range sectionsOf(command) {
		fmt.Fprintf(&b, ".SH %s\n", s.title)
		for i, part := range s.blocks {
			roffBlock(&b, part, i == 0)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func roffBlock(b *strings.Builder, part block, first bool) {
	switch {
	case part.term != "":
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", escaped(part.term), escaped(part.text))
	case part.verbatim:
		fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", escaped(part.text))
	case first:
		fmt.Fprintf(b, "%s\n", escaped(part.text))
	default:
		fmt.Fprintf(b, ".PP\n%s\n", escaped(part.text))
	}
}

// escaped returns text of which roff takes nothing for its own.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
