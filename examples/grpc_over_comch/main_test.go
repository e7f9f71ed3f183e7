package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// There are two processes, as on a DPU and its host. The client may come first.
func TestTwoProcesses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "grpc_over_comch")
	out, err := exec.Command("go", "build", "-o", program).CombinedOutput()
	require.NoError(t, err, string(out))
	name := fmt.Sprintf("grpc-test-%d", os.Getpid())
	start := func(side string, args ...string) (*exec.Cmd, *strings.Builder) {
		cmd, out := exec.CommandContext(t.Context(), program, append(args, "-n", name)...), new(strings.Builder)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_SIDE="+side)
		require.NoError(t, cmd.Start())
		return cmd, out
	}
	client, got := start("host", "-client", "--pci-addr", "b1:00.0")
	server, log := start("dpu", "-server", "-p", "03:00.0", "--rep-pci", "b1:00.0")
	assert.NoError(t, client.Wait())
	assert.NoError(t, server.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, server.Wait(), log)
	assert.Equal(t, "gRPC: SERVING\nHTTP: Hello from "+name+".http@0000:03:00.0\n", got.String())
}
