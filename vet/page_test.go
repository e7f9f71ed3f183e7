package vet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/vet"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// header makes a file of a block of the page: the imports that it uses.
func header(block string) string {
	var b strings.Builder
	b.WriteString("package page\n\nimport (\n")
	for _, path := range []string{"context", "errors", "github.com/go-doca/go-doca/doca", "github.com/go-doca/go-doca/doca/bind",
		"github.com/go-doca/go-doca/doca/comch", "github.com/go-doca/go-doca/doca/dma"} {
		if strings.Contains(block, path[strings.LastIndex(path, "/")+1:]+".") {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	b.WriteString(")\n\n")
	return b.String()
}

// The first example of each section of docs/vet.md is reported where it says so, by that analyzer and no other; the others are not. The
// page has a section for each analyzer, to which its URL points.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/vet.md")
	require.NoError(t, err)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	sections := map[string]string{}
	for _, s := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(s, "\n")
		sections[title] = body
	}
	tool := tool(t)
	titles := []string{"Silence"}
	for _, a := range vet.Analyzers() {
		titles = append(titles, a.Name)
		assert.True(t, strings.HasSuffix(a.URL, "/docs/vet.md#"+a.Name), a.URL)
	}
	dir := t.TempDir()
	mod := "module page\n\ngo 1.26.0\n\nrequire github.com/go-doca/go-doca v0.0.0\n\nreplace github.com/go-doca/go-doca => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	want := map[string]bool{}
	for _, title := range titles {
		blocks := goBlock.FindAllStringSubmatch(sections[title], -1)
		require.NotEmpty(t, blocks, title)
		for i, m := range blocks {
			source := header(m[1]) + m[1]
			name := fmt.Sprintf("%s%d.go", strings.ToLower(title), i)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, name[:len(name)-3]), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name[:len(name)-3], name), []byte(source), 0o644))
			for n, line := range strings.Split(source, "\n") {
				if strings.Contains(line, "// reported") {
					want[fmt.Sprintf("%s:%d %s", name, n+1, title)] = true
				}
			}
		}
	}
	require.Len(t, want, len(vet.Analyzers()))
	assert.Equal(t, want, reported(t, tool, dir, "./..."))
}
