// Package manual writes down what the commands' own definitions say of them, as help for a terminal and as manual pages.
// Both come from one text: Short is the summary, Long the description, Example the examples, the flags the options, and
// the annotation Exits the exit codes.
//
// In a description a blank line ends a paragraph, and a line that begins with two spaces is shown as it stands.
package manual

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exits is the annotation that holds a command's exit codes, one on each line: the code, a tab, and what it means.
const Exits = "exits"

// section is a part of a page.
type section struct {
	title  string
	blocks []block
}

// block is a piece of a section: a term that is explained, lines shown as they stand, or a paragraph.
type block struct {
	term     string
	text     string
	verbatim bool
}

// sectionsOf returns the page of a command, part by part.
func sectionsOf(command *cobra.Command) []section {
	all := []section{
		{"NAME", []block{{text: PageName(command) + " - " + command.Short}}},
		{"SYNOPSIS", []block{{text: synopsis(command), verbatim: true}}},
		{"DESCRIPTION", paragraphs(command.Long)},
		{"COMMANDS", commands(command)},
		{"OPTIONS", options(command.LocalFlags())},
		{"EXAMPLES", []block{{text: strings.Trim(command.Example, "\n"), verbatim: true}}},
		{"EXIT STATUS", exits(command.Annotations[Exits])},
		{"SEE ALSO", []block{{text: relatives(command)}}},
	}
	var filled []section
	for _, s := range all {
		if len(s.blocks) > 0 && s.blocks[0] != (block{verbatim: s.blocks[0].verbatim}) {
			filled = append(filled, s)
		}
	}
	return filled
}

// synopsis returns how the command is called.
func synopsis(command *cobra.Command) string {
	if command.HasParent() {
		return command.Parent().CommandPath() + " " + command.Use
	}
	return command.Use
}

// paragraphs cuts a description up.
func paragraphs(text string) []block {
	var blocks []block
	for part := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		verbatim := strings.HasPrefix(part, "  ")
		if !verbatim {
			part = strings.ReplaceAll(part, "\n", " ")
		}
		blocks = append(blocks, block{text: part, verbatim: verbatim})
	}
	return blocks
}

// commands returns the commands below this one.
func commands(command *cobra.Command) []block {
	var blocks []block
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			blocks = append(blocks, block{term: below.Name(), text: below.Short})
		}
	}
	return blocks
}

// options returns what the flags are for.
func options(flags *pflag.FlagSet) []block {
	var blocks []block
	flags.VisitAll(func(flag *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(flag)
		term := strings.TrimSpace("--" + flag.Name + " " + value)
		if flag.Shorthand != "" {
			term = "-" + flag.Shorthand + ", " + term
		}
		blocks = append(blocks, block{term: term, text: usage})
	})
	return blocks
}

// exits returns what the exit codes mean.
func exits(lines string) []block {
	var blocks []block
	for line := range strings.Lines(lines) {
		code, meaning, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		blocks = append(blocks, block{term: code, text: meaning})
	}
	return blocks
}

// relatives returns the pages of the commands around this one.
func relatives(command *cobra.Command) string {
	var names []string
	if command.HasParent() {
		names = append(names, PageName(command.Parent())+"(1)")
	}
	for _, below := range command.Commands() {
		if hasPage(below) {
			names = append(names, PageName(below)+"(1)")
		}
	}
	return strings.Join(names, ", ")
}

// hasPage reports whether a command has a page in the manual. Those that come with the parser of the command line have none.
func hasPage(command *cobra.Command) bool {
	return command.IsAvailableCommand() && command.Annotations[Exits] != ""
}

// PageName returns what the manual calls the page of a command, such as "namedlock-run".
func PageName(command *cobra.Command) string {
	return strings.ReplaceAll(command.CommandPath(), " ", "-")
}
