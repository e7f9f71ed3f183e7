package emit

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// The files in testdata/docs hold C declarations with the comments that headers have in practice, and beside each the Go
// declarations that the whole generator makes of it. A person has read each one: the line below its title is the verdict.
//
//	go test ./gen/internal/emit -run TestGoldenDocs -update
//
// renews what is generated, and takes the verdict off what has changed: read it, and write "Reads well." or "Flawed: why".

var update = flag.Bool("update", false, "renew the files in testdata/docs")

const (
	goldenDir = "testdata/docs"
	readsWell = "Reads well."
	unread    = "Unread."
	flawed    = "Flawed: "
	// fence is longer than any in a comment.
	fence = "````"
)

// goldenHead is what each declaration of the files finds declared.
const goldenHead = `#include <stdbool.h>
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_types.h>
`

// goldenCase is a C declaration and what it becomes.
type goldenCase struct{ name, verdict, c, golang string }

// goldenFile is a file of cases.
type goldenFile struct {
	path, head string
	cases      []*goldenCase
}

var goldenSection = regexp.MustCompile("(?s)^(.*?)\n\n(?:([^`\n]+)\n\n)?" + fence + "c\n(.*?\n)" + fence + "\n(?:\n" + fence + "go\n(.*?\n)" + fence + "\n)?$")

func readGolden(t *testing.T, path string) *goldenFile {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	parts := strings.Split(string(text), "\n## ")
	f := &goldenFile{path: path, head: strings.TrimRight(parts[0], "\n")}
	names := map[string]bool{}
	for _, p := range parts[1:] {
		m := goldenSection.FindStringSubmatch(strings.TrimRight(p, "\n") + "\n")
		require.NotNil(t, m, "%s: this is no title, verdict, C and Go:\n%s", path, p)
		require.False(t, names[m[1]], "%s: two cases %q", path, m[1])
		names[m[1]] = true
		f.cases = append(f.cases, &goldenCase{name: m[1], verdict: m[2], c: m[3], golang: m[4]})
	}
	return f
}

func (f *goldenFile) write(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString(f.head + "\n")
	for _, c := range f.cases {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%sc\n%s%s\n\n%sgo\n%s%s\n", c.name, c.verdict, fence, c.c, fence, fence, c.golang, fence)
	}
	require.NoError(t, os.WriteFile(f.path, []byte(b.String()), 0o644))
}

func goldenFiles(t *testing.T) []*goldenFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(goldenDir, "[a-z]*.md"))
	require.NoError(t, err)
	var files []*goldenFile
	for _, p := range paths {
		files = append(files, readGolden(t, p))
	}
	return files
}

// generate makes the bindings of all cases of a file: each has a header of its own, of a library pipe that does not exist.
func (f *goldenFile) generate(t *testing.T) (*model.Model, Files) {
	t.Helper()
	sdk := t.TempDir()
	for _, h := range []string{"error", "types", "compat", "version", "buf", "mmap", "pe", "ctx", "dev", "buf_inventory", "buf_pool", "config", "build_config", "common_defines", "log"} {
		text, err := os.ReadFile("../../../headers/3.0/doca_" + h + ".h")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_"+h+".h"), text, 0o644))
	}
	pipe := goldenHead + "/** A pipe. */\nstruct doca_pipe;\n/** A task of a pipe. */\nstruct doca_pipe_task;\n"
	require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_pipe.h"), []byte(pipe), 0o644))
	for i, c := range f.cases {
		text := "#include <doca_pipe.h>\n" + c.c
		if strings.Contains(c.c, "@file") {
			text = c.c // the comment of a file is the first thing in it
		}
		require.NoError(t, os.WriteFile(filepath.Join(sdk, fmt.Sprintf("doca_pipe_%03d.h", i)), []byte(text), 0o644))
	}
	m := modelOf(t, sdk)
	files, err := Generate(m, Options{Path: outputPath})
	require.NoError(t, err)
	return m, files
}

// declarations are those of a generated file, without the bodies of functions and without the prototypes that their comments
// end with; package comments have what is below the heading of the header.
func declarations(t *testing.T, files Files, i int) (text string, parsed []ast.Decl) {
	t.Helper()
	var b strings.Builder
	head := fmt.Sprintf("\n// # doca_pipe_%03d.h\n//\n", i)
	if _, doc, ok := strings.Cut(string(files["pipe/library.go"]), head); ok {
		doc, _, _ = strings.Cut(doc, "package pipe\n")
		doc, _, _ = strings.Cut(doc, "\n//\n// # doca_pipe_")
		b.WriteString(strings.TrimSpace(doc) + "\npackage pipe\n\n")
	}
	source, ok := files[fmt.Sprintf("pipe/pipe_%03d.go", i)]
	if !ok {
		return strings.TrimSpace(b.String()) + "\n", nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	require.NoError(t, err)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT || d.Tok == token.VAR {
				continue
			}
		case *ast.FuncDecl:
			withoutPrototype(d.Doc)
			if !d.Name.IsExported() {
				continue
			}
			for _, l := range d.Doc.List {
				if !directive.MatchString(l.Text) {
					b.WriteString(l.Text + "\n")
				}
			}
			d.Doc, d.Body = nil, nil
		}
		var one bytes.Buffer
		require.NoError(t, (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&one, fset, &printer.CommentedNode{Node: d, Comments: file.Comments}))
		b.WriteString(one.String() + "\n\n")
		parsed = append(parsed, d)
	}
	return strings.TrimSpace(b.String()) + "\n", parsed
}

var directive = regexp.MustCompile(`^//[a-z]`)

func withoutPrototype(doc *ast.CommentGroup) {
	for i, l := range doc.List {
		if l.Text == "// In C:" && i > 0 {
			doc.List = doc.List[:i-1]
			return
		}
	}
}

// What becomes of each comment is what somebody has read.
func TestGoldenDocs(t *testing.T) {
	t.Parallel()
	for _, f := range goldenFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(f.path), ".md"), func(t *testing.T) {
			t.Parallel()
			m, files := f.generate(t)
			checkDocs(t, files, 0, false)
			for i, c := range f.cases {
				have, _ := declarations(t, files, i)
				if *update {
					if have != c.golang {
						c.golang, c.verdict = have, unread
					}
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					assert.Equal(t, c.golang, have)
					checkWords(t, m, i, c.c, have)
				})
			}
			if *update {
				f.write(t)
			}
		})
	}
}

// At least 95 of 100 read well, and the README says how many do. A case that has changed since it was read has no verdict.
func TestGoldenVerdicts(t *testing.T) {
	t.Parallel()
	var cases, well int
	var list strings.Builder
	for _, f := range goldenFiles(t) {
		for _, c := range f.cases {
			cases++
			why, bad := strings.CutPrefix(c.verdict, flawed)
			switch {
			case bad:
				fmt.Fprintf(&list, "- %s, %s: %s\n", strings.TrimSuffix(filepath.Base(f.path), ".md"), c.name, why)
			case c.verdict == readsWell:
				well++
			default:
				assert.Fail(t, "read it, and write below its title \"Reads well.\" or \"Flawed: why\"", "%s: %s", f.path, c.name)
			}
		}
	}
	assert.GreaterOrEqual(t, cases, 200)
	assert.GreaterOrEqual(t, 100*well, 95*cases, "%d of %d read well", well, cases)
	readme, err := os.ReadFile(filepath.Join(goldenDir, "README.md"))
	require.NoError(t, err)
	assert.Contains(t, string(readme), fmt.Sprintf("%d of the %d comments read well.", well, cases))
	assert.Contains(t, string(readme), list.String())
}

// checkWords checks that no word of English has become the Go name of a parameter: those names that are words, and are others
// in Go, stand in prose where the author has marked them alone.
func checkWords(t *testing.T, m *model.Model, i int, c, golang string) {
	t.Helper()
	for _, l := range m.Libraries {
		for _, fn := range l.Funcs {
			if fn.Header != fmt.Sprintf("doca_pipe_%03d.h", i) {
				continue
			}
			for _, p := range fn.Params {
				g := paramName(fn, p)
				if strings.Contains(p.CName, "_") || g == p.CName || p.CName == "" {
					continue
				}
				name := regexp.QuoteMeta(p.CName)
				marked := regexp.MustCompile("(?:[@\\\\][pca] |[#`])"+name+`\b`).FindAllString(c, -1)
				spelled := regexp.MustCompile(`(?m) ` + regexp.QuoteMeta(g) + `(?:[ ,;.)]|$)`)
				most := len(marked) + len(spelled.FindAllString(c, -1))
				assert.LessOrEqual(t, len(spelled.FindAllString(prose(golang), -1)), most, "%s stands for %s in prose", g, p.CName)
			}
		}
	}
}

// prose are the comments of declarations, without code.
func prose(golang string) string {
	var b strings.Builder
	for _, l := range strings.Split(golang, "\n") {
		if l = strings.TrimLeft(l, "\t"); strings.HasPrefix(l, "// ") {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

var (
	// begins is the first line of a note, or of a paragraph behind a blank line.
	begins   = regexp.MustCompile(`(?m)^ \*\s*[@\\](?:note|warning|attention|remark)s?:?\s+([^@\n]+)$|^ \*[ \t]*\n \* +([A-Za-z][^@\n]+)$`)
	wordOnly = regexp.MustCompile(`[A-Za-z]{2,}`)
)

// Notes and paragraphs stand in the order in which the author wrote them. Not all are found: a brief changes, and so may the
// first words of others.
func TestGoldenOrder(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range goldenFiles(t) {
		for _, c := range f.cases {
			text := strings.Join(wordOnly.FindAllString(strings.ToLower(prose(c.golang)), -1), " ")
			at := 0
			for _, m := range begins.FindAllStringSubmatch(c.c, -1) {
				words := wordOnly.FindAllString(strings.ToLower(m[1]+m[2]), 4)
				i := strings.LastIndex(text, strings.Join(words, " "))
				if len(words) < 3 || i < 0 {
					continue
				}
				assert.GreaterOrEqual(t, i, at, "%s, %s: %q stands in front of what it was behind", f.path, c.name, m[0])
				at = i
				found++
			}
		}
	}
	assert.Greater(t, found, 60)
}
