package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	pages = []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md"}

	fencedBlock = regexp.MustCompile("(?s)```.*?```")
	inBackticks = regexp.MustCompile("`([^`]+)`")
	sourceFile  = regexp.MustCompile(`^[\w/.-]*\w\.(go|c|h|md|mk|svg|sh|map)$`)
	link        = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	heading     = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	anchorTag   = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	placeholder = regexp.MustCompile(`\b(doca|emu)_x\b|(^|/)x[./]`) // for a library that is yet to be bound
	external    = regexp.MustCompile(`^https?:|^mailto:`)
)

// The files that the pages name are there, and so are the headings that they link to. A name without a folder may be anywhere.
func TestPagesNameFilesThatExist(t *testing.T) {
	t.Parallel()
	have := sources(t)
	for _, page := range pageFiles(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text := fencedBlock.ReplaceAllString(read(t, page), "")
			for _, m := range inBackticks.FindAllStringSubmatch(text, -1) {
				if name := m[1]; sourceFile.MatchString(name) && !filepath.IsAbs(name) && !placeholder.MatchString(name) {
					assert.True(t, slices.ContainsFunc(have, func(f string) bool { return f == name || strings.HasSuffix(f, "/"+name) }),
						"%s names %s, which is nowhere", page, name)
				}
			}
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				if external.MatchString(m[1]) {
					continue
				}
				target := page
				if m[1] != "" {
					target = filepath.Join(filepath.Dir(page), m[1])
				}
				_, err := os.Stat(filepath.Join("../..", target))
				assert.NoError(t, err, "%s links to %s", page, m[1])
				if err == nil && m[2] != "" && filepath.Ext(target) == ".md" {
					assert.Contains(t, anchors(read(t, target)), m[2], "%s links to %s#%s", page, m[1], m[2])
				}
			}
		})
	}
}

// anchors are the names by which links reach the headings of a page, as GitHub makes them.
func anchors(page string) []string {
	page = fencedBlock.ReplaceAllString(page, "")
	var names []string
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		name := strings.ToLower(notInAnchor.ReplaceAllString(m[1], ""))
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	for _, m := range anchorTag.FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	return names
}

func pageFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range pages {
		names, err := filepath.Glob(filepath.Join("../..", pattern))
		require.NoError(t, err)
		for _, name := range names {
			rel, err := filepath.Rel("../..", name)
			require.NoError(t, err)
			found = append(found, rel)
		}
	}
	require.NotEmpty(t, found)
	return found
}

// sources lists the files of the repository with slashes, but for what is built.
func sources(t *testing.T) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == ".git" || e.Name() == "build") {
			return filepath.SkipDir
		}
		if !e.IsDir() {
			rel, err := filepath.Rel("../..", path)
			if err != nil {
				return err
			}
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	}))
	return found
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	require.NoError(t, err)
	return string(text)
}
