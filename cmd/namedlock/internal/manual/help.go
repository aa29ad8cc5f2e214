package manual

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

const (
	helpWidth = 80
	indent    = "    "
)

// Help writes the page of a command for a terminal.
func Help(w io.Writer, command *cobra.Command) error {
	var b strings.Builder
	for i, s := range sectionsOf(command) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.title + "\n")
		helpSection(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// helpSection writes the blocks of a section: terms closely, all else with a line between.
func helpSection(b *strings.Builder, s section) {
	for i, part := range s.blocks {
		if i > 0 && part.term == "" {
			b.WriteByte('\n')
		}
		switch {
		case part.term != "":
			helpTerm(b, part, termWidth(s.blocks))
		case part.verbatim:
			b.WriteString(indent + strings.ReplaceAll(part.text, "\n", "\n"+indent) + "\n")
		default:
			b.WriteString(wrapped(part.text, indent) + "\n")
		}
	}
}

// termWidth returns the room that terms take, so that what they mean is aligned; none when a term is too long for that.
func termWidth(blocks []block) int {
	widest := 0
	for _, part := range blocks {
		widest = max(widest, utf8.RuneCountInString(part.term))
	}
	if widest > helpWidth/4 {
		return 0
	}
	return widest
}

// helpTerm writes a term with what it means beside it, or below where terms are long.
func helpTerm(b *strings.Builder, part block, width int) {
	if width == 0 {
		fmt.Fprintf(b, "%s%s\n%s\n", indent, part.term, wrapped(part.text, indent+indent))
		return
	}
	margin := strings.Repeat(" ", len(indent)+width+2)
	text := strings.TrimPrefix(wrapped(part.text, margin), margin)
	fmt.Fprintf(b, "%s%-*s  %s\n", indent, width, part.term, text)
}

// wrapped returns the text in lines that begin with the margin and are no longer than the page is wide.
func wrapped(text, margin string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(margin+line+" "+word) > helpWidth {
			lines = append(lines, margin+line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, margin+line), "\n")
}
