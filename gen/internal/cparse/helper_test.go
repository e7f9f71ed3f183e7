package cparse

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const versionText = `#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 0
#define DOCA_VERSION_PATCH 58
#define DOCA_VERSION_STRING "3.0.0058"
`

// writeHeaders writes headers, and a doca_version.h where none is given, to a new directory.
func writeHeaders(t testing.TB, headers map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, ok := headers[versionHeader]; !ok {
		require.NoError(t, os.WriteFile(filepath.Join(dir, versionHeader), []byte(versionText), 0o644))
	}
	for name, text := range headers {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// parseHeader parses one header, doca_x.h, which must parse.
func parseHeader(t testing.TB, text string) *Header {
	t.Helper()
	api, err := Parse(Config{Dir: writeHeaders(t, map[string]string{"doca_x.h": text}), Headers: []string{"doca_x.h"}})
	require.NoError(t, err)
	require.Len(t, api.Headers, 1)
	return api.Headers[0]
}

// parseError parses one header, doca_x.h, which must not parse.
func parseError(t testing.TB, text string) *ParseError {
	t.Helper()
	_, err := Parse(Config{Dir: writeHeaders(t, map[string]string{"doca_x.h": text}), Headers: []string{"doca_x.h"}})
	var pe *ParseError
	require.ErrorAs(t, err, &pe)
	return pe
}

func fn(t testing.TB, h *Header, name string) *Func {
	t.Helper()
	for _, f := range h.Funcs {
		if f.Name == name {
			return f
		}
	}
	require.Failf(t, "no such function", "%s in %s", name, h.Name)
	return nil
}

func macro(t testing.TB, h *Header, name string) *Macro {
	t.Helper()
	for _, m := range h.Macros {
		if m.Name == name {
			return m
		}
	}
	require.Failf(t, "no such macro", "%s in %s", name, h.Name)
	return nil
}

func header(t testing.TB, a *API, name string) *Header {
	t.Helper()
	for _, h := range a.Headers {
		if h.Name == name {
			return h
		}
	}
	require.Failf(t, "no such header", "%s", name)
	return nil
}

// readLines are the lines of a file without comments.
func readLines(t testing.TB, path string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if !strings.HasPrefix(l, "#") {
			lines = append(lines, l)
		}
	}
	return lines
}

// bomb defines DOCA_BOMB, which expands to 2^40 times the text.
func bomb(text string) string {
	var b strings.Builder
	b.WriteString("#define DOCA_B0 " + text + "\n")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, "#define DOCA_B%d DOCA_B%d DOCA_B%d\n", i, i-1, i-1)
	}
	b.WriteString("#define DOCA_BOMB DOCA_B40\n")
	return b.String()
}
