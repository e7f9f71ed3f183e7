package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A profile can be made of rows that check what each side has moved. A check that fails ends the process.
func TestProfile(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", "emulator")
	rows := slices.DeleteFunc(allRows(), func(r row) bool { return !strings.HasPrefix(r.title(), "Comch: data, ") })
	require.NotEmpty(t, rows)
	path := filepath.Join(t.TempDir(), "profile")
	require.NoError(t, profile(path, rows, time.Millisecond))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
}
