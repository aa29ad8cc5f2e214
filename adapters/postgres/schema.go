package postgres

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// defaultSchema is where the tables live unless the Config says otherwise.
	defaultSchema = "namedlock"
	// longestSchema is how many bytes of a name Postgres keeps. It cuts the rest in silence, so that two longer names could
	// mean one schema.
	longestSchema = 63
	// placeholder is how the SQL files write the schema.
	placeholder = "namedlock."
)

// schema is a name that is an identifier in quotes and nothing else.
type schema struct{ name string }

// newSchema returns the schema of that name, the default one when it is empty.
func newSchema(name string) (schema, error) {
	switch {
	case name == "":
		return schema{defaultSchema}, nil
	case len(name) > longestSchema:
		return schema{}, fmt.Errorf("the schema name is %d bytes long, and Postgres keeps %d", len(name), longestSchema)
	case !utf8.ValidString(name):
		return schema{}, fmt.Errorf("the schema name is not valid UTF-8")
	case strings.ContainsAny(name, "\x00\"'.\\"):
		return schema{}, fmt.Errorf("the schema name %q holds a quote, a dot, a backslash or a NUL", name)
	}
	return schema{name}, nil
}

// quoted returns the schema as SQL writes it.
func (s schema) quoted() string { return `"` + s.name + `"` }

// qualify returns the statement with the schema in the place of the placeholder.
func (s schema) qualify(statement string) string {
	return strings.ReplaceAll(statement, placeholder, s.quoted()+".")
}
