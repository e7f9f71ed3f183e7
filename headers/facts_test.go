// SPDX-License-Identifier: Apache-2.0

package headers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The C compiler sees what facts.txt has, each of a header alone.
func TestFacts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("3.0/facts.txt")
	require.NoError(t, err)
	type unit struct{ header, option string }
	checks := map[unit]string{}
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), " | ")
		require.Len(t, f, 3, line)
		u := unit{header: f[0]}
		what, host := strings.CutSuffix(f[1], " on the host")
		if host {
			u.option = "-DDOCA_ARCH_HOST"
		}
		n++
		switch what {
		case "defined":
			checks[u] += fmt.Sprintf("#ifndef %s\n#error %s is missing\n#endif\n", f[2], f[2])
		case "absent":
			checks[u] += fmt.Sprintf("#ifdef %s\n#error %s is defined\n#endif\n", f[2], f[2])
		case "value":
			expression, value, ok := strings.Cut(f[2], " = ")
			require.True(t, ok, line)
			checks[u] += fmt.Sprintf("_Static_assert((%s) == %s, \"%s\");\n", expression, value, expression)
		default:
			t.Fatalf("what is %q? %s", f[1], line)
		}
	}
	assert.Greater(t, n, 20)
	for u, c := range checks {
		t.Run(u.header+u.option, func(t *testing.T) {
			t.Parallel()
			compile(t, "#include <"+u.header+">\n"+c, "-fsyntax-only", u.option)
		})
	}
}

// compile runs the C compiler on a source, and returns the path of what it made.
func compile(t *testing.T, source string, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "facts.c"), filepath.Join(dir, "facts")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I", "3.0", "-o", out, file}
	for _, o := range options {
		if o != "" {
			args = append(args, o)
		}
	}
	said, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, string(said))
	return out
}

// Versioned structures get the version of the headers, and keep or lose what else they have.
func TestVersionedStructs(t *testing.T) {
	t.Parallel()
	program := compile(t, `
#include <doca_compat.h>
#include <stdio.h>
struct versioned { DOCA_STRUCT_START; int a; };
static __forceinline int same(struct versioned *v, int a)
{
	return DOCA_STRUCT_GET_VERSION(v) == DOCA_VERSION_EXACT && v->a == a;
}
int main(void)
{
	struct versioned v = {DOCA_STRUCT_CTOR_LIST_START, .a = 7}, w = {.a = 7};
	int good = same(&v, 7) && !same(&w, 7);
	DOCA_STRUCT_CTOR(w);
	good += same(&w, 7);
	w = (struct versioned){.a = 7};
	DOCA_STRUCT_PTR_CTOR(&w);
	good += same(&w, 7);
	w = (struct versioned){.a = 7};
	DOCA_STRUCT_MEMSET_CTOR(w);
	good += same(&w, 0);
	w = (struct versioned){.a = 7};
	DOCA_STRUCT_PTR_MEMSET_CTOR(&w);
	good += same(&w, 0);
	printf("%d", good);
	return 0;
}
`)
	out, err := exec.Command(program).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "5", string(out))
}
