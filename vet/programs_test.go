package vet_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tool builds doca-vet.
func tool(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "doca-vet")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/doca-vet").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

var wants = regexp.MustCompile(`// want (\w+)`)

// planted returns the mistakes that the programs mark: "file:line analyzer".
func planted(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		lines := bufio.NewScanner(file)
		for n := 1; lines.Scan(); n++ {
			if m := wants.FindStringSubmatch(lines.Text()); m != nil {
				found[fmt.Sprintf("%s:%d %s", filepath.Base(name), n, m[1])] = true
			}
		}
		require.NoError(t, lines.Err())
		require.NoError(t, file.Close())
	}
	return found
}

// reported returns what "go vet -vettool" reports of packages below a directory.
func reported(t *testing.T, tool, dir, pattern string) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "vet", "-json", "-vettool="+tool, pattern)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s%s", &out, &errs)
	found := map[string]bool{}
	text := out.String() + errs.String() // go vet has written the JSON to either
	var js strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			js.WriteString(line)
		}
	}
	dec := json.NewDecoder(strings.NewReader(js.String()))
	for dec.More() {
		var packages map[string]map[string][]struct{ Posn, Message string }
		require.NoError(t, dec.Decode(&packages), "%s", text)
		for _, analyzers := range packages {
			for name, list := range analyzers {
				for _, d := range list {
					at := strings.Split(filepath.Base(d.Posn), ":")
					found[at[0]+":"+at[1]+" "+name] = true
				}
			}
		}
	}
	return found
}

// Programs as users write them: ten with mistakes, each marked, and a helper package and eight programs without any.
func TestPrograms(t *testing.T) {
	t.Parallel()
	tool := tool(t)
	for _, dir := range []string{"pool", "backup", "relay", "binding/counter", "kv", "hw", "cleancopy", "cleanrelay", "cleanpool",
		"mirror", "ingest", "gather", "stage", "rdv", "cleanmirror", "cleaningest", "cleangather", "cleanstage", "cleanrdv"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata/programs", dir)
			want := planted(t, dir)
			if strings.Contains(dir, "clean") || strings.HasSuffix(dir, "hw") {
				require.Empty(t, want)
			} else {
				require.GreaterOrEqual(t, len(want), 7)
			}
			assert.Equal(t, want, reported(t, tool, dir, "."))
		})
	}
}
