package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// A ledger's own idea of layouts is that of the C compiler, to the bit.
func TestLedgerLayouts(t *testing.T) {
	t.Parallel()
	shapes, err := os.ReadFile("testdata/layout/doca_shape.h")
	require.NoError(t, err)
	texts := map[string]string{"shapes": string(shapes)}
	for seed := range 4 {
		texts[fmt.Sprint("random ", seed)] = (&randomHeader{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}).text()
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sdk := sdkAnd(t, "doca_shape.h", text)
			status, out, errOut := gen("ledger", "-sdk", sdk, "-libs", "common,shape")
			require.Zero(t, status, errOut)
			l, err := ledger.Read(strings.NewReader(out))
			require.NoError(t, err)
			var ours []string
			c := "#include <doca_shape.h>\n#include <stdio.h>\n#include <string.h>\n" + `
static void bits(const char *what, const unsigned char *p, size_t n)
{
	int first = -1, last = -1;
	for (int i = 0; i < (int)(8 * n); i++)
		if (p[i / 8] >> (i % 8) & 1) {
			first = first < 0 ? i : first;
			last = i;
		}
	printf("%s bit %d, %d bits\n", what, first, last - first + 1);
}
int main(void)
{
`
			types := l.Types()
			for i := range l.Symbols {
				s := &l.Symbols[i]
				if s.Header != "doca_shape.h" || s.Kind != ledger.Struct && s.Kind != ledger.Union {
					continue
				}
				lay, err := types.Layout(s)
				require.NoError(t, err)
				require.NoError(t, lay.Unknown, s.C)
				typ := string(s.Kind) + " " + s.Name
				if strings.HasPrefix(s.C, string(s.Kind)+" {") {
					typ = s.Name
				}
				ours = append(ours, fmt.Sprintf("%s size %d, align %d", typ, lay.Size, lay.Align))
				c += fmt.Sprintf("printf(\"%s size %%zu, align %%zu\\n\", sizeof(%s), _Alignof(%s));\n", typ, typ, typ)
				for _, p := range lay.Places {
					if strings.Contains(p.Name, "->") {
						continue // of another record
					}
					path := strings.ReplaceAll(p.Name, "[]", "[0]")
					ours = append(ours, fmt.Sprintf("%s.%s bit %d, %d bits", typ, path, p.Bit, p.Bits))
					switch {
					case p.Field:
						c += fmt.Sprintf("{ %s x; memset(&x, 0, sizeof(x)); x.%s = -1; bits(\"%s.%s\", (void *)&x, sizeof(x)); }\n", typ, path, typ, path)
					case strings.HasPrefix(p.Type, "[]"):
						c += fmt.Sprintf("printf(\"%s.%s bit %%zu, 0 bits\\n\", 8 * __builtin_offsetof(%s, %s));\n", typ, path, typ, path)
					default:
						c += fmt.Sprintf("printf(\"%s.%s bit %%zu, %%zu bits\\n\", 8 * __builtin_offsetof(%s, %s), 8 * sizeof(((%s *)0)->%s));\n", typ, path, typ, path, typ, path)
					}
				}
			}
			require.NotEmpty(t, ours)
			assert.Equal(t, ours, strings.Split(strings.TrimSpace(runC(t, sdk, c+"}\n")), "\n"))
		})
	}
}

// sdkAnd is the reference headers and one more.
func sdkAnd(t *testing.T, name, text string) string {
	t.Helper()
	sdk := t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	require.NoError(t, os.WriteFile(filepath.Join(sdk, name), []byte(text), 0o644))
	return sdk
}

// runC compiles and runs a program, and returns what it prints.
func runC(t *testing.T, include, source string) string {
	t.Helper()
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	out, err := exec.Command("gcc", "-w", "-I", include, "-o", program, file).CombinedOutput()
	require.NoError(t, err, string(out))
	var said bytes.Buffer
	cmd := exec.Command(program)
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Run(), said.String())
	return said.String()
}
