package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// A profile can be made of rows that check what each side has moved. It is made in a process of its own: a check that fails ends
// the process, and other tests count what the process allocates.
func TestProfile(t *testing.T) {
	const name = "BENCH_TEST_PROFILE"
	if path := os.Getenv(name); path != "" {
		rows := slices.DeleteFunc(allRows(), func(r row) bool { return !strings.HasPrefix(r.title(), "Comch: data, ") })
		require.NotEmpty(t, rows)
		require.NoError(t, profile(path, rows, time.Millisecond))
		return
	}
	path := t.TempDir() + "/profile"
	cmd := selfexec.Command(t, "-test.run=^TestProfile$")
	cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", name+"="+path)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
}
