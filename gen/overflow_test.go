package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The overflow under the sanitizers: threads fill it while another empties it.
func TestOverflow(t *testing.T) {
	t.Parallel()
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		t.Run(sanitizer, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "overflow")
			text, err := exec.Command("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-fno-sanitize-recover=all", "-fsanitize="+sanitizer,
				"-I", "../generated/abi", "testdata/ring/overflow.c", "-o", program, "-pthread").CombinedOutput()
			require.NoError(t, err, string(text))
			text, err = exec.Command(program).Output()
			require.NoError(t, err, string(text))
			assert.Equal(t, "got 84000, 28000 with a payload, 0 wrong, seen 84000, waiting 0, lost 0\n", string(text))
		})
	}
}
