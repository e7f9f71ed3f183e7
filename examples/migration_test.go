package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// migration returns the programs that docs/migration.md shows: in C with a work queue, in C
// with tasks, and in Go.
func migration(t *testing.T) []string {
	doc, err := os.ReadFile("../docs/migration.md")
	require.NoError(t, err)
	var programs []string
	for i, part := range strings.Split(string(doc), "\n```") {
		if _, program, ok := strings.Cut(part, "\n"); ok && i%2 == 1 {
			programs = append(programs, program+"\n")
		}
	}
	require.Len(t, programs, 3)
	return programs
}

// The document shows the program migration as it is.
func TestMigration(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("migration/main.go")
	require.NoError(t, err)
	assert.Equal(t, string(source), migration(t)[2])
	status, out := run(t, build(t, "migration"), "")
	assert.Zero(t, status, out)
	assert.Equal(t, "hello\n", out)
}

// runMigrationC runs the document's program in C with tasks.
func runMigrationC(t *testing.T, compile func(side, name string, sources []string) string) {
	source := filepath.Join(t.TempDir(), "tasks")
	require.NoError(t, os.WriteFile(source+".c", []byte(migration(t)[1]), 0o600))
	cmd := exec.Command(compile("DPU", source, nil))
	cmd.Env = append(os.Environ(), "DOCA_EMU_RUNTIME_DIR="+filepath.Join(t.TempDir(), "run"))
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, string(out))
	assert.Equal(t, "hello\n", string(out))
}
