package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noDevice is an SDK on a machine without a device.
const noDevice = `
const char *doca_version_runtime(void) { return "3.0.0058"; }
int doca_devinfo_create_list(void *list, unsigned *n) { (void)list; (void)n; return 16; }
`

// Where the installed SDK has no device, the demo runs on the emulator, unless the user wants the SDK. Here the emulator has no device either,
// so that the demo ends there.
func TestDemoWithoutDevice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(dir, "common.c")
	require.NoError(t, os.WriteFile(source, []byte(noDevice), 0o644))
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libdoca_common.so.2"), source).CombinedOutput()
	require.NoError(t, err, string(out))
	demo := build(t, "demo")
	for provider, again := range map[string]bool{"": true, "sdk": false} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it once began again for ever
			defer cancel()
			cmd := exec.CommandContext(ctx, demo)
			cmd.Env = append(os.Environ(), "DOCA_PROVIDER="+provider, "LD_LIBRARY_PATH="+dir, "DOCA_EMU_SIDE=none")
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, 1, cmd.ProcessState.ExitCode())
			assert.Equal(t, again, strings.Count(string(out), "running on the emulator") == 1)
			assert.Equal(t, again, strings.Contains(string(out), "DOCA_EMU_SIDE must be"))
			assert.Contains(t, string(out), "demo: DOCA sees no device: go run ./cmd/doca doctor says why\n")
		})
	}
}
