package emit

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The ledger, which the model writes, has the signatures of the functions that are emitted.
func TestLedgerHasTheSignatures(t *testing.T) {
	t.Parallel()
	for sdk, atLeast := range map[string]int{"../../../headers/3.0": 700, "../../testdata/2.5": 60, "../../testdata/2.2": 25} {
		t.Run(path.Base(sdk), func(t *testing.T) {
			t.Parallel()
			m := modelOf(t, sdk)
			files, err := Generate(m, Options{Path: outputPath})
			require.NoError(t, err)
			emitted := map[string]string{}
			for name, text := range files {
				if path.Ext(name) != ".go" {
					continue
				}
				fset := token.NewFileSet()
				file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
				require.NoError(t, err)
				for _, d := range file.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok {
						var b strings.Builder
						require.NoError(t, printer.Fprint(&b, fset, &ast.FuncDecl{Name: fn.Name, Type: fn.Type}))
						emitted[path.Dir(name)+"."+fn.Name.Name] = b.String()
					}
				}
			}
			n := 0
			for _, s := range m.Ledger().Symbols {
				name, isFunc := strings.CutPrefix(s.Go, "func ")
				if !isFunc {
					continue
				}
				name, _, _ = strings.Cut(name, "(")
				assert.Equal(t, withoutSizes(emitted[s.Library+"."+name]), withoutSizes(s.Go), s.Name)
				n++
			}
			assert.GreaterOrEqual(t, n, atLeast)
		})
	}
}

// arraySize is a number in the ledger, and the constant that holds it in the code.
var arraySize = regexp.MustCompile(`\[\w+\]`)

func withoutSizes(signature string) string { return arraySize.ReplaceAllString(signature, "[size]") }
