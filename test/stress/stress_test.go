package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// run runs the program as a user would.
func run(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "DOCA_EMU_RUNTIME_DIR="+filepath.Join(t.TempDir(), "doca"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "stress")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "stress")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			panic(string(out))
		}
		os.Setenv("DOCA_PROVIDER", "emulator")
		return m.Run()
	}())
}

func TestMessages(t *testing.T) {
	t.Parallel()
	run(t, "messages", "-clients", "16", "-processes", "2", "-messages", "20000")
}

func TestData(t *testing.T) {
	t.Parallel()
	run(t, "data", "-endpoints", "4", "-mib", "256")
}

func TestFaults(t *testing.T) {
	t.Parallel()
	run(t, "faults", "-rounds", "20")
}

func TestRDMA(t *testing.T) {
	t.Parallel()
	run(t, "rdma", "-rounds", "27", "-connections", "30")
}
