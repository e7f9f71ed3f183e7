package cparse

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/hard/*.want")

// TestHard compares hard headers with the lists beside them: what is declared,
// with all values and layouts, and what is not, with the reason.
func TestHard(t *testing.T) {
	t.Parallel()
	const dir = "testdata/hard"
	api, err := Parse(Config{Dir: dir, Layouts: true})
	require.NoError(t, err)
	for _, h := range api.Headers {
		t.Run(h.Name, func(t *testing.T) {
			got := strings.Join(hardLines(h), "\n") + "\n"
			path := filepath.Join(dir, strings.TrimSuffix(h.Name, ".h")+".want")
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
	for _, n := range []string{
		"not installed: foo/bar.h (line 6 of doca_foreign.h); declarations that need it are missing",
		"not installed: foo_more.h (line 7 of doca_foreign.h); declarations that need it are missing",
		"no header declares foo_ctx_t, foo_fn_t, foo_val_t: taken to be opaque types of foo/bar.h (line 6 of doca_foreign.h), foo_more.h (line 7 of doca_foreign.h)",
	} {
		assert.Contains(t, api.Notes, n)
	}
}

// hardLines is a header as text, one line for each declaration, value and problem.
func hardLines(h *Header) (out []string) {
	for _, l := range (&API{Headers: []*Header{h}}).Lines() {
		_, l, _ = strings.Cut(l, " | ")
		out = append(out, strings.TrimLeft(l, " |"))
	}
	for _, f := range h.Funcs {
		if f.Body != "" {
			out = append(out, "body | "+f.Name+" | "+f.Body)
		}
	}
	for _, m := range h.Macros {
		switch {
		case m.Int != nil && m.Unsigned:
			out = append(out, fmt.Sprintf("value | %s | %d", m.Name, uint64(*m.Int)))
		case m.Int != nil:
			out = append(out, fmt.Sprintf("value | %s | %d", m.Name, *m.Int))
		case m.Str != nil:
			out = append(out, fmt.Sprintf("value | %s | %q", m.Name, *m.Str))
		case m.Float != nil:
			out = append(out, fmt.Sprintf("value | %s | %g", m.Name, *m.Float))
		default:
			out = append(out, fmt.Sprintf("no value | %s | %s", m.Name, m.NoValue))
		}
	}
	for _, n := range h.FuncMacros {
		out = append(out, "function-like macro | "+n)
	}
	add := func(kind, name string, l *Layout) {
		if l == nil {
			return
		}
		s := fmt.Sprintf("layout | %s %s | size %d, align %d", kind, name, l.Size, l.Align)
		var paths []string
		for p, off := range l.Offsets {
			paths = append(paths, fmt.Sprintf("%04d %s", off, p))
		}
		slices.Sort(paths)
		for _, p := range paths {
			s += ", " + strings.TrimLeft(p[:3], "0") + p[3:]
		}
		out = append(out, s)
	}
	for _, r := range h.Records {
		add(r.Kind, r.Name+r.Typedef, r.Layout)
	}
	for _, e := range h.Enums {
		add("enum", e.Name+e.Typedef, e.Layout)
	}
	problems := slices.Clone(h.Problems)
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Pos.Line - b.Pos.Line })
	for _, p := range problems {
		out = append(out, fmt.Sprintf("problem | %d | %s", p.Pos.Line, p.Text))
	}
	return out
}

// TestAgainstCompiler has the C compiler check what was read: the value of
// each macro and enumerator, the size of each enumeration and of each scalar.
func TestAgainstCompiler(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"testdata/hard", "testdata/2.5", "testdata/3.0", referenceHeaders} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			abs, err := filepath.Abs(dir)
			require.NoError(t, err)
			api, err := Parse(Config{Dir: abs, Layouts: true})
			require.NoError(t, err)
			for _, h := range api.Headers {
				if h.Name != "doca_foreign.h" && h.Name != "doca_refused.h" { // do not compile
					checkHeader(t, abs, h)
				}
			}
		})
	}
}

func checkHeader(t *testing.T, dir string, h *Header) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#include <%s>\n", h.Name)
	check := func(format string, args ...any) {
		fmt.Fprintf(&b, "_Static_assert(%s, \"\");\n", fmt.Sprintf(format, args...))
	}
	texts := map[string]string{} // string macros by the array that holds their value
	for _, m := range h.Macros {
		switch {
		case m.Int != nil:
			check("(unsigned long long)(%s) == %dULL && ((%s) < 0) == %d", m.Name, uint64(*m.Int), m.Name, number(*m.Int < 0 && !m.Unsigned))
		case m.Float != nil:
			check("(%s) == %g", m.Name, *m.Float)
		case m.Str != nil:
			texts[name(len(texts))] = *m.Str
			fmt.Fprintf(&b, "_Alignas(8) char %s[(sizeof(%s) + 7) / 8 * 8] = %s;\n", name(len(texts)-1), m.Name, m.Name)
		}
	}
	for _, e := range h.Enums {
		for _, c := range e.Consts {
			check("(unsigned long long)(%s) == %dULL && ((%s) < 0) == %d", c.Name, uint64(c.Value), c.Name, number(c.Value < 0 && !c.Unsigned))
		}
	}
	for _, f := range h.Funcs {
		for _, p := range append([]Param{{Type: f.Ret}}, f.Params...) {
			switch p.Type.Kind {
			case EnumT, Int, Float, Bool, Pointer:
				if p.Type.Kind == EnumT && p.Type.Name == "" || strings.Contains(p.Type.String(), "__va_list_tag") {
					continue
				}
				size := p.Type.Size
				if p.Type.Kind == Pointer {
					size = 8
				}
				check("sizeof(%s) == %d", p.Type, size)
			}
		}
	}
	for _, r := range h.Records {
		if !r.Complete || r.Name == "" {
			continue
		}
		if assert.NotNil(t, r.Layout, r.Name) {
			check("sizeof(%s %s) == %d && _Alignof(%s %s) == %d", r.Kind, r.Name, r.Layout.Size, r.Kind, r.Name, r.Layout.Align)
			for path, off := range r.Layout.Offsets {
				check("__builtin_offsetof(%s %s, %s) == %d", r.Kind, r.Name, path, off)
			}
		}
	}
	p := &parser{dir: dir, files: newFiles(dir)}
	var err error
	p.cc, err = hostConfig()
	require.NoError(t, err)
	object := filepath.Join(t.TempDir(), "check.o")
	messages, err := p.compile(b.String(), nil, "-c", "-o", object)
	require.NoError(t, err, "%s: %s", h.Name, messages)
	data, err := arrays(object)
	require.NoError(t, err)
	for name, want := range texts {
		var got []byte
		for _, v := range data[name] {
			got = binary.NativeEndian.AppendUint64(got, v)
		}
		assert.Equal(t, want, string(got[:len(want)]))
		assert.Empty(t, bytes.Trim(got[len(want):], "\x00"))
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
