package namedlock_test

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/alkstore/namedlock"
	wire   = "github.com/google/wire"
	pgx    = "github.com/jackc/pgx/v5/..."
	sqlite = "github.com/mattn/go-sqlite3"
	ginkgo = "github.com/onsi/ginkgo/v2/..."
	gomega = "github.com/onsi/gomega/..."

	std      = "the standard library"
	anything = "anything"
)

// row says what the files of a folder may import, and why nothing else. "x/..." is x and all below it.
type row struct {
	folder string
	// injectors are the files under the build tag wireinject: Wire sees them and a shipped build does not.
	injectors bool
	allowed   []string
	reason    string
}

// importTable says who may import whom. The first row that fits a file counts. Test files are free.
var importTable = []row{
	{
		folder:  "domain",
		allowed: []string{"errors", "fmt", "math", "strings", "time", "unicode/utf8"},
		reason:  "a rule is a function of a lock and an instant: without I/O, clock and context it can be read and tested alone",
	},
	{
		folder:  "ports",
		allowed: []string{module + "/domain", "context", "errors", "fmt", "time"},
		reason:  "whoever writes an adapter reads the ports alone, and inherits nothing by them",
	},
	{
		folder:  "adapters/internal/...",
		allowed: []string{std, module + "/domain", module + "/ports"},
		reason:  "what the adapters share is no adapter: it needs no driver and knows none of them",
	},
	{
		folder:  "adapters/memory/...",
		allowed: []string{std, module + "/domain", module + "/ports", module + "/adapters/internal/...", module + "/adapters/memory/...", wire},
		reason:  "an adapter serves the ports: it knows no application, no other adapter, and this one needs no driver",
	},
	{
		folder:  "adapters/sqlite/...",
		allowed: []string{std, module + "/domain", module + "/ports", module + "/sql", module + "/adapters/internal/...", module + "/adapters/sqlite/...", wire, sqlite},
		reason:  "an adapter serves the ports: it knows no application, no other adapter, and no driver but its own",
	},
	{
		folder:  "adapters/postgres/...",
		allowed: []string{std, module + "/domain", module + "/ports", module + "/sql", module + "/adapters/internal/...", module + "/adapters/postgres/...", wire, pgx},
		reason:  "an adapter serves the ports: it knows no application, no other adapter, and no driver but its own",
	},
	{
		folder:  "sql",
		allowed: []string{"embed", "fmt", "io/fs", "strconv", "strings"},
		reason:  "it carries text for whoever migrates, and must not draw in a driver",
	},
	{
		folder:  ".",
		allowed: []string{std, module + "/domain", module + "/ports"},
		reason:  "a consumer of Postgres alone must not compile SQLite, nor the other way",
	},
	{
		folder:    ".",
		injectors: true,
		allowed:   []string{wire, module + "/adapters/memory", module + "/adapters/sqlite", module + "/adapters/postgres"},
		reason:    "the sets only compose what the adapters export",
	},
	{
		folder:  "specs/...",
		allowed: []string{std, module, module + "/domain", module + "/ports", module + "/specs/...", ginkgo, gomega},
		reason:  "whoever holds an adapter to the contract must not inherit ours, nor our drivers",
	},
	{
		folder:  "cmd/...",
		allowed: []string{anything},
		reason:  "a command assembles",
	},
	{
		folder:  "examples/...",
		allowed: []string{anything},
		reason:  "an example assembles as its reader would",
	},
}

func TestImportTable(t *testing.T) {
	files := shippedFiles(t)
	for _, problem := range judge(files) {
		t.Error(problem)
	}
	for _, r := range importTable {
		if r.allowed[0] != anything && !slices.ContainsFunc(files, r.fits) {
			t.Errorf("no file is left in %s: take its row out of the table", r.folder)
		}
	}
}

// A check that cannot fail is none.
func TestImportTableTellsWhatIsWrong(t *testing.T) {
	violations := []source{
		{name: "domain/made_up.go", imports: []string{"context"}},
		{name: "domain/made_up.go", imports: []string{"net/http"}},
		{name: "domain/made_up.go", imports: []string{module + "/ports"}},
		{name: "ports/made_up.go", imports: []string{module}},
		{name: "ports/made_up.go", imports: []string{"database/sql"}},
		{name: "adapters/internal/made_up/made_up.go", imports: []string{module + "/adapters/memory"}},
		{name: "adapters/memory/made_up.go", imports: []string{module}},
		{name: "adapters/memory/made_up.go", imports: []string{module + "/adapters/sqlite"}},
		{name: "adapters/memory/made_up.go", imports: []string{sqlite}},
		{name: "adapters/sqlite/made_up.go", imports: []string{module + "/adapters/postgres/internal/postgresdb"}},
		{name: "adapters/sqlite/internal/sqlitedb/made_up.go", imports: []string{"github.com/jackc/pgx/v5"}},
		{name: "adapters/postgres/made_up.go", imports: []string{module + "/specs"}},
		{name: "sql/made_up.go", imports: []string{"database/sql"}},
		{name: "made_up.go", imports: []string{"github.com/jackc/pgx/v5/pgxpool"}},
		{name: "made_up.go", imports: []string{module + "/adapters/memory"}},
		{name: "made_up.go", imports: []string{wire}},
		{name: "made_up.go", injector: true, imports: []string{"github.com/jackc/pgx/v5"}},
		{name: "specs/made_up.go", imports: []string{module + "/adapters/memory"}},
		{name: "specs/made_up.go", imports: []string{"github.com/stretchr/testify/assert"}},
	}
	for _, file := range violations {
		problems := judge([]source{file})
		if len(problems) != 1 {
			t.Errorf("%s may import %s: got %q", file.name, file.imports[0], problems)
			continue
		}
		r, _ := rowOf(file)
		for _, part := range []string{file.name, file.imports[0], r.folder, r.allowed[0], r.reason} {
			if !strings.Contains(problems[0], part) {
				t.Errorf("%q does not tell %q", problems[0], part)
			}
		}
	}
}

func TestImportTableAsksForARowForEachPackage(t *testing.T) {
	problems := judge([]source{{name: "made/up/made_up.go"}})
	if len(problems) != 1 || !strings.Contains(problems[0], "made/up") {
		t.Errorf("got %q, want one problem that names the folder", problems)
	}
}

// Only the build tag of Wire alone takes a file out of a shipped build.
func TestImportTableKnowsInjectors(t *testing.T) {
	for line, want := range map[string]bool{
		"//go:build wireinject":          true,
		"//go:build !wireinject":         false,
		"//go:build wireinject || linux": false,
		"":                               false,
	} {
		if got := parsed(t, "made_up.go", line+"\n\npackage made_up\n").injector; got != want {
			t.Errorf("%q: injector is %v, want %v", line, got, want)
		}
	}
}

// What the standard library itself draws in counts here too, which the table cannot see.
func TestRootLinksNoDriver(t *testing.T) {
	links(t, ".", "database/...", "net/...", "github.com/...", "golang.org/...", module+"/adapters/...", module+"/specs/...")
}

func TestAnAdapterLinksNoDriverButItsOwn(t *testing.T) {
	links(t, "./adapters/memory", "database/...", pgx, sqlite, module+"/adapters/sqlite/...", module+"/adapters/postgres/...")
	links(t, "./adapters/sqlite", pgx, module+"/adapters/memory/...", module+"/adapters/postgres/...")
	links(t, "./adapters/postgres", sqlite, module+"/adapters/memory/...", module+"/adapters/sqlite/...")
}

// links fails when building folder compiles something unwanted. Of github.com our own module is meant to be there.
func links(t *testing.T, folder string, unwanted ...string) {
	t.Helper()
	for _, dependency := range dependencies(t, folder) {
		for _, pattern := range unwanted {
			ours := pattern == "github.com/..." && covers(module+"/...", dependency)
			if covers(pattern, dependency) && !ours {
				t.Errorf("%s links %s: %s is unwanted, because who does not use it must not compile it", folder, dependency, pattern)
			}
		}
	}
}

func TestDomainIsPure(t *testing.T) {
	links(t, "./domain", "context", "net/...", "database/...", "log/...", "os/exec", "os/signal", module+"/ports")
	for _, file := range shippedFiles(t) {
		if path.Dir(file.name) != "domain" {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if call, found := impurity(node); found {
				t.Errorf("%s uses %s: a rule is given the time, and prints nothing", file.name, call)
			}
			return true
		})
	}
}

// impurity names the function that asks a clock, waits or prints.
func impurity(node ast.Node) (string, bool) {
	selector, ok := node.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	of, ok := selector.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	impure := []string{
		"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker",
		"time.Tick", "fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan", "fmt.Scanf", "fmt.Scanln",
	}
	call := of.Name + "." + selector.Sel.Name
	return call, slices.Contains(impure, call)
}

func TestEveryPackageHasAComment(t *testing.T) {
	comments := map[string]string{}
	names := map[string]string{}
	for _, file := range shippedFiles(t) {
		folder := path.Dir(file.name)
		if ast.IsGenerated(file.syntax) {
			continue // a package that is generated whole is read in its source
		}
		names[folder] = file.syntax.Name.Name
		comments[folder] += file.syntax.Doc.Text()
	}
	for folder, name := range names {
		beginning := "Package " + name + " "
		if name == "main" {
			beginning = "" // a program tells in its own words what it does
		}
		if comment := comments[folder]; comment == "" || !strings.HasPrefix(comment, beginning) {
			t.Errorf("package %s has no comment that begins with %q: its first line is what a reader of the folder sees", folder, beginning)
		}
	}
}

// source is one Go file of this module that is not a test, whatever system or build tag it is for.
type source struct {
	name     string
	injector bool
	imports  []string
	syntax   *ast.File
}

// judge returns what the table does not allow.
func judge(files []source) []string {
	var problems []string
	for _, file := range files {
		r, found := rowOf(file)
		if !found {
			problems = append(problems, fmt.Sprintf("%s: the import table has no row for %s: add one, with its reason", file.name, path.Dir(file.name)))
			continue
		}
		for _, imported := range file.imports {
			if !r.allows(imported) {
				problems = append(problems, fmt.Sprintf("%s imports %q\n\trule:   %s may import %s\n\treason: %s",
					file.name, imported, r.folder, strings.Join(r.allowed, ", "), r.reason))
			}
		}
	}
	return problems
}

func rowOf(file source) (row, bool) {
	i := slices.IndexFunc(importTable, func(r row) bool { return r.fits(file) })
	if i < 0 {
		return row{}, false
	}
	return importTable[i], true
}

func (r row) fits(file source) bool {
	injectors := file.injector && path.Dir(file.name) == "."
	return r.injectors == injectors && covers(r.folder, path.Dir(file.name))
}

func (r row) allows(imported string) bool {
	return slices.ContainsFunc(r.allowed, func(pattern string) bool {
		switch pattern {
		case anything:
			return true
		case std:
			domain, _, _ := strings.Cut(imported, "/")
			return !strings.Contains(domain, ".")
		}
		return covers(pattern, imported)
	})
}

// covers reports whether a path is meant by a pattern.
func covers(pattern, path string) bool {
	tree, isTree := strings.CutSuffix(pattern, "/...")
	return path == tree || isTree && strings.HasPrefix(path, tree+"/")
}

// shippedFiles returns the files of this module, without those of modules below it.
func shippedFiles(t *testing.T) []source {
	t.Helper()
	var files []source
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isElsewhere(name):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			files = append(files, parsed(t, filepath.ToSlash(name), string(text)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// isElsewhere reports whether the go command leaves the folder out of this module.
func isElsewhere(folder string) bool {
	if folder == "." {
		return false
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	base := filepath.Base(folder)
	return err == nil || base == "testdata" || base[0] == '.' || base[0] == '_'
}

func parsed(t *testing.T, name, text string) source {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	file := source{name: name, syntax: syntax, injector: isInjector(syntax)}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		file.imports = append(file.imports, imported)
	}
	return file
}

func isInjector(syntax *ast.File) bool {
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			expression, err := constraint.Parse(comment.Text)
			if err == nil && comment.Pos() < syntax.Package {
				return expression.String() == "wireinject"
			}
		}
	}
	return false
}

// dependencies returns the packages that are compiled for folder.
func dependencies(t *testing.T, folder string) []string {
	t.Helper()
	output, err := exec.Command("go", "list", "-deps", folder).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", folder, err)
	}
	return strings.Fields(string(output))
}
