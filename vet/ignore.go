package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const ignorePrefix = "//doca:ignore"

// reporter reports what no directive silences, each place once.
type reporter struct {
	pass   *analysis.Pass
	silent []lines
	seen   map[token.Pos]bool
}

// lines are those of a file for which a directive holds.
type lines struct {
	file        string
	first, last int
}

// newReporter reads the directives of the package for the pass's analyzer.
func newReporter(pass *analysis.Pass) *reporter {
	r := &reporter{pass: pass, seen: map[token.Pos]bool{}}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				r.directive(file, group, c)
			}
		}
	}
	return r
}

func (r *reporter) directive(file *ast.File, group *ast.CommentGroup, c *ast.Comment) {
	rest, ok := strings.CutPrefix(c.Text, ignorePrefix)
	if !ok || rest != "" && rest[0] != ' ' {
		return
	}
	rest, _, _ = strings.Cut(rest, "// want") // of a test
	name, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if name != r.pass.Analyzer.Name || strings.TrimSpace(reason) == "" {
		return // Callback reports what is wrong with directives
	}
	at := r.pass.Fset.Position(c.Pos())
	silent := lines{at.Filename, at.Line, r.pass.Fset.Position(group.End()).Line + 1}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc == group {
			silent.last = r.pass.Fset.Position(f.End()).Line
		}
	}
	r.silent = append(r.silent, silent)
}

func (r *reporter) report(pos token.Pos, format string, args ...any) {
	if !pos.IsValid() || r.seen[pos] {
		return
	}
	r.seen[pos] = true
	at := r.pass.Fset.Position(pos)
	for _, s := range r.silent {
		if s.file == at.Filename && s.first <= at.Line && at.Line <= s.last {
			return
		}
	}
	r.pass.Report(analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// inTest reports whether a position is in a test, with its helpers.
func (r *reporter) inTest(pos token.Pos) bool {
	return strings.HasSuffix(r.pass.Fset.Position(pos).Filename, "_test.go")
}

func (r *reporter) line(pos token.Pos) int { return r.pass.Fset.Position(pos).Line }

// checkDirectives reports directives that silence nothing, because they lack a name or a reason.
func checkDirectives(r *reporter) {
	known := map[string]bool{}
	for _, a := range []*analysis.Analyzer{r.pass.Analyzer} {
		known[a.Name] = true
	}
	for _, name := range names {
		known[name] = true
	}
	for _, file := range r.pass.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, ignorePrefix)
				if !ok {
					continue
				}
				rest, _, _ = strings.Cut(rest, "// want")
				name, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
				switch {
				case !known[name]:
					r.report(c.Pos(), "doca:ignore needs the name of an analyzer, one of %s", strings.Join(names, ", "))
				case strings.TrimSpace(reason) == "":
					r.report(c.Pos(), "doca:ignore %s needs a reason", name)
				}
			}
		}
	}
}

// names are those of the analyzers.
var names = []string{"unclosed", "closeerror", "inflight", "kept", "callback", "copied", "ctxabort"}
