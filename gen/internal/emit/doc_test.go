package emit

import (
	"go/ast"
	"go/doc"
	godoc "go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

const outputPath = "example.com/generated"

// The documentation of all that is generated from the reference headers, and from those of
// older releases, is as Go's is.
func TestDocsOfOutput(t *testing.T) {
	t.Parallel()
	for sdk, c := range map[string]struct {
		atLeast int
		fields  bool // whether each field has a comment in C
	}{"../../../headers/3.0": {1000, true}, "../../testdata/2.5": {250, false}, "../../testdata/2.2": {150, false}} {
		t.Run(path.Base(sdk), func(t *testing.T) {
			t.Parallel()
			checkDocs(t, generateFrom(t, sdk), c.atLeast, c.fields)
		})
	}
}

// generateFrom generates everything from the headers in a directory.
func generateFrom(t *testing.T, sdk string) Files {
	t.Helper()
	files, err := Generate(modelOf(t, sdk), Options{Path: outputPath})
	require.NoError(t, err)
	return files
}

func modelOf(t *testing.T, sdk string) *model.Model {
	t.Helper()
	headers, err := filepath.Glob(filepath.Join(sdk, "*.h"))
	require.NoError(t, err)
	require.NotEmpty(t, headers)
	for i := range headers {
		headers[i] = filepath.Base(headers[i])
	}
	api, err := cparse.Parse(cparse.Config{Dir: sdk, Headers: headers})
	require.NoError(t, err)
	m, err := model.Build(api, model.Plan(headers))
	require.NoError(t, err)
	return m
}

// docChecker checks the documentation of a package.
type docChecker struct {
	t       *testing.T
	pkg     *doc.Package
	parser  *godoc.Parser
	exports map[string]map[string]bool // of each package
	checked int
	// inFields is set where each field is to have a comment.
	inFields bool
	// own are the names that a sentence about the current symbol may begin with, although they begin with a small letter.
	own    map[string]bool
	behind bool // the comment stands behind a field
}

func checkDocs(t *testing.T, files Files, atLeast int, fields bool) {
	t.Helper()
	packages := map[string]*doc.Package{}
	fset := token.NewFileSet()
	parsed := map[string][]*ast.File{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		out, err := format.Source(files[name])
		require.NoError(t, err, name)
		assert.Equal(t, string(out), string(files[name]), "gofmt would change %s", name)
		file, err := parser.ParseFile(fset, name, files[name], parser.ParseComments)
		require.NoError(t, err)
		parsed[path.Dir(name)] = append(parsed[path.Dir(name)], file)
	}
	exports := map[string]map[string]bool{}
	for dir, fs := range parsed {
		p, err := doc.NewFromFiles(fset, fs, outputPath+"/"+dir)
		require.NoError(t, err)
		packages[dir], exports[outputPath+"/"+dir] = p, exported(p)
	}
	checked := 0
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		c := &docChecker{t: t, pkg: packages[dir], parser: packages[dir].Parser(), exports: exports, inFields: fields}
		c.all()
		checked += c.checked
	}
	assert.Greater(t, checked, atLeast, "symbols that were checked")
}

func exported(p *doc.Package) map[string]bool {
	names := map[string]bool{}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, n := range v.Names {
				names[n] = true
			}
		}
	}
	funcs := func(recv string, fs []*doc.Func) {
		for _, f := range fs {
			names[recv+f.Name] = true
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, t := range p.Types {
		names[t.Name] = true
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
	}
	return names
}

func (c *docChecker) all() {
	p := c.pkg
	c.text("package "+p.Name, p.Doc)
	assert.True(c.t, strings.HasPrefix(p.Doc, "Package "+p.Name+" "), "the comment of package %s begins %.40q", p.Name, p.Doc)
	c.values(p.Consts)
	c.values(p.Vars)
	c.funcs("", p.Funcs)
	for _, t := range p.Types {
		c.symbol(t.Name, t.Name, t.Doc)
		for _, spec := range t.Decl.Specs {
			if s, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType); ok {
				c.fields(t.Name, s)
			}
		}
		c.values(t.Consts)
		c.values(t.Vars)
		c.funcs("", t.Funcs)
		c.funcs(t.Name+".", t.Methods)
	}
}

func (c *docChecker) values(vs []*doc.Value) {
	for _, v := range vs {
		if !slices.ContainsFunc(v.Names, token.IsExported) {
			continue
		}
		if v.Decl.Lparen.IsValid() {
			c.text("group of "+v.Names[0], v.Doc)
			assert.NotEmpty(c.t, v.Doc, "%s: the group of %s", c.pkg.Name, v.Names[0])
		}
		for _, spec := range v.Decl.Specs {
			s := spec.(*ast.ValueSpec)
			text := s.Doc.Text()
			if text == "" && !v.Decl.Lparen.IsValid() {
				text = v.Doc
			}
			for _, n := range s.Names {
				if n.IsExported() {
					c.symbol(n.Name, n.Name, text)
				}
			}
			assert.Nil(c.t, s.Comment, "%s: %s has a comment behind it", c.pkg.Name, s.Names[0].Name)
		}
	}
}

func (c *docChecker) funcs(recv string, fs []*doc.Func) {
	for _, f := range fs {
		c.own = ownNames(f.Decl.Type)
		c.symbol(recv+f.Name, f.Name, f.Doc)
		c.own = nil
	}
}

// ownNames are the names of a function's parameters and results.
func ownNames(t *ast.FuncType) map[string]bool {
	names := map[string]bool{}
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, n := range f.Names {
				names[n.Name] = true
			}
		}
	}
	return names
}

func (c *docChecker) fields(typ string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			text := f.Doc.Text() + f.Comment.Text()
			c.behind = f.Doc == nil
			c.text(typ+"."+n.Name, text)
			c.behind = false
			if c.inFields && n.IsExported() {
				assert.NotEmpty(c.t, text, "%s: field %s.%s has no comment", c.pkg.Name, typ, n.Name)
				assert.False(c.t, f.Comment != nil && utf8.RuneCountInString(f.Comment.Text()) > 80, "%s: the comment behind %s.%s is long", c.pkg.Name, typ, n.Name)
			}
		}
	}
}

// symbol checks the comment of an exported symbol.
func (c *docChecker) symbol(what, name, text string) {
	c.checked++
	first, _, _ := strings.Cut(text, "\n")
	assert.Regexp(c.t, `^(A |An |The )?`+name+`[ ']`, first, "the comment of %s.%s", c.pkg.Name, what)
	synopsis := c.pkg.Synopsis(text)
	assert.Regexp(c.t, `[.:?)"]$`, synopsis, "the first sentence of %s.%s is not complete", c.pkg.Name, what)
	assert.LessOrEqual(c.t, utf8.RuneCountInString(synopsis), 240, "the first sentence of %s.%s: %s", c.pkg.Name, what, synopsis)
	c.text(what, text)
}

var (
	doxygenLeft = regexp.MustCompile(`(^|[\s(])([@\\][A-Za-z]+|\\[^\s]|</?(b|i|tt|code|br|p|ul|li|em)>|&[a-z]+;)`)
	bracketed   = regexp.MustCompile(`(^|[\s(,.:;/])\[\*?([\w./-]*[/.])?[A-Z]\w*\]($|[\s),.:;'/])`)
	spaces      = regexp.MustCompile(`\S {2,}\S| [,;]`)
)

// text checks what holds for every comment.
func (c *docChecker) text(what, text string) {
	what = c.pkg.Name + ": " + what
	for _, line := range strings.Split(text, "\n") {
		long := utf8.RuneCountInString(line) > 107 && len(strings.Fields(line)) > 1 && !strings.Contains(line, "://")
		assert.False(c.t, long && !strings.HasPrefix(line, "\t"), "%s: a line is long: %s", what, line)
	}
	d := c.parser.Parse(text)
	for _, b := range d.Content {
		c.block(what, b)
	}
	if c.pkg.Name != "abi" && !c.behind { // abi is not made of comments in C, nor is what stands behind a field
		c.judge(what, d)
	}
	var again godoc.Printer
	assert.Equal(c.t, strings.TrimSpace(text), strings.TrimSpace(string(again.Comment(d))), "%s: gofmt would change the comment", what)
}

func (c *docChecker) block(what string, b godoc.Block) {
	switch b := b.(type) {
	case *godoc.Paragraph:
		c.prose(what, b.Text)
	case *godoc.Heading:
		c.prose(what, b.Text)
	case *godoc.List:
		for _, it := range b.Items {
			for _, x := range it.Content {
				c.block(what, x)
			}
		}
	case *godoc.Code:
		assert.NotRegexp(c.t, `^\s*([-*+•]|\d+\.) `, b.Text, "%s: a list as code", what)
	}
}

func (c *docChecker) prose(what string, text []godoc.Text) {
	for _, x := range text {
		switch x := x.(type) {
		case godoc.Plain:
			assert.NotRegexp(c.t, doxygenLeft, string(x), "%s: Doxygen or HTML is left", what)
			assert.NotRegexp(c.t, bracketed, string(x), "%s: a link leads nowhere", what)
			assert.NotRegexp(c.t, spaces, string(x), "%s: odd blanks", what)
		case *godoc.DocLink:
			name := x.Name
			if x.Recv != "" {
				name = x.Recv + "." + name
			}
			if have, ours := c.exports[x.ImportPath]; ours || x.ImportPath != "" && strings.HasPrefix(x.ImportPath, outputPath) {
				assert.True(c.t, have[name], "%s: link to %s.%s", what, x.ImportPath, name)
			} else {
				assert.Empty(c.t, x.ImportPath, "%s: a link out of the bindings", what)
			}
		}
	}
}

// The committed packages are what the test above has checked: the same comments by another
// import path.
func TestCommittedDocs(t *testing.T) {
	t.Parallel()
	files := Files{}
	const dir = "../../../generated"
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = []byte(strings.ReplaceAll(string(text), "github.com/go-doca/go-doca/generated", outputPath))
		return err
	}))
	checkDocs(t, files, 1000, true)
}

// The words that Go says in another way, or not at all: what is nil, what goes without saying,
// the direction of parameters, the ends of strings, and the room for results.
var otherWords = strings.Fields("null nul terminated success else enum out itself bytes least length number may")

// When a callback is called is said once.
func TestKindsSayOnceWhenTheyAreCalled(t *testing.T) {
	t.Parallel()
	kinds := 0
	files, err := filepath.Glob("../../../generated/*/*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range file.Comments {
			first, rest, _ := strings.Cut(group.Text(), "\n\n")
			first = strings.ReplaceAll(first, "\n", " ")
			if !strings.Contains(first, " is the callback ") || !strings.Contains(first, ": called ") {
				continue
			}
			kinds++
			assert.False(t, strings.HasPrefix(rest, "Called "), "%s: %s", name, group.Text())
		}
	}
	assert.Greater(t, kinds, 40)
}

// No word of a C comment is lost on the way.
func TestDocsHaveAllWords(t *testing.T) {
	t.Parallel()
	m := modelOf(t, "../../../headers/3.0")
	e, err := newEmitter(m, Options{Path: outputPath})
	require.NoError(t, err)
	names := regexp.MustCompile(`[@#]?\w*_\w+(\(\))?|@\w+`)
	words, n := regexp.MustCompile(`[A-Za-z]{3,}`), 0
	for _, l := range m.Libraries {
		e.lib = l
		f := &file{emitter: e}
		for _, fn := range l.Funcs {
			text := strings.ToLower(f.funcDoc(fn))
			for _, w := range words.FindAllString(strings.ToLower(names.ReplaceAllString(fn.Doc, " ")), -1) {
				n++
				if !strings.Contains(text, w) {
					assert.Contains(t, otherWords, w, "%s: %s\n%s", fn.CName, fn.Doc, text)
				}
			}
		}
	}
	assert.Greater(t, n, 20000)
}
