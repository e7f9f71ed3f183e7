// SPDX-License-Identifier: Apache-2.0

package headers

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// includes returns a header's includes in the form of a line of includes.txt.
func includes(name, text string) string {
	system, doca := "", ""
	depth := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#if"):
			depth++
		case strings.HasPrefix(line, "#endif"):
			depth--
		}
		rest, ok := strings.CutPrefix(line, "#include <")
		if !ok {
			continue
		}
		file := strings.TrimSuffix(rest, ">")
		to := &system
		if strings.HasPrefix(file, "doca_") {
			to = &doca
		}
		if depth > 1 { // 1: the include guard
			file = "[" + file + "]"
		}
		*to += " " + file
	}
	for _, list := range []*string{&system, &doca} {
		if *list == "" {
			*list = " -"
		}
	}
	return name + " |" + system + " |" + doca
}

func TestIncludes(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("3.0/includes.txt")
	require.NoError(t, err)
	want := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if !strings.HasPrefix(line, "#") {
			name, _, _ := strings.Cut(line, " ")
			want[name] = strings.TrimSpace(line)
		}
	}
	names, err := fs.Glob(FS, "3.0/*.h")
	require.NoError(t, err)
	assert.Len(t, names, len(want))
	for _, path := range names {
		name := strings.TrimPrefix(path, "3.0/")
		t.Run(name, func(t *testing.T) {
			text, err := fs.ReadFile(FS, path)
			require.NoError(t, err)
			assert.Equal(t, want[name], includes(name, string(text)))
		})
	}
}
