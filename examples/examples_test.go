// Package examples tests the example programs as a user runs them.
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

// build compiles an example.
func build(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	out, err := exec.Command("go", "build", "-o", path, "./"+name).CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

// run runs a program on the emulator and returns its exit status and output.
func run(t *testing.T, program, args string) (int, string) {
	t.Helper()
	cmd := exec.Command(program, strings.Fields(args)...)
	cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "GOGC=1") // leaks are reported at collections
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestDMALocalCopy(t *testing.T) {
	t.Parallel()
	program := build(t, "dma_local_copy")
	const done = "Success, memory copied and verified as correct"
	for _, c := range []struct {
		args   string
		status int
		want   []string
	}{
		{"", 0, []string{"Starting the sample", done, "Sample finished successfully"}},
		{"-p 0000:03:00.1 -t hello -ns 6 -nd 1", 0, []string{done}},
		{"-ns 7 -nd 9 --pci-addr 03:00.0", 0, []string{done}},
		{"-t x -ns 3", 1, []string{"3 buffers for 2 bytes", "Sample finished with errors"}},
		{"-ns 60 -nd 60 -t " + strings.Repeat("x", 200), 1, []string{"120 source and destination buffers are more than", "finished with errors"}},
		{"-p 99:00.0", 1, []string{"0000:99:00.0", "this machine has 0000:03:00.0", "finished with errors"}},
		{"-p nonsense", 1, []string{"nonsense", "finished with errors"}},
		{"-t " + strings.Repeat("x", 5000), 1, []string{"longer than 4096 characters (see --help)"}},
		{"-ns 0", 1, []string{"0 is below 1"}},
		{"-h", 0, []string{"Usage: doca_dma_local_copy [DOCA Flags] [Program Flags]", "-ns, --num-src-buf"}},
		{"-v", 0, []string{"DOCA Version: 3.0"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out := run(t, program, c.args)
			assert.Equal(t, c.status, status, out)
			for _, want := range c.want {
				assert.Contains(t, out, want)
			}
		})
	}
}

func TestCoreSamples(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"graph":            "All graph instances have completed",
		"cache_invalidate": "the memory reads: This is a sample piece of text",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := build(t, name)
			status, out := run(t, program, "")
			assert.Zero(t, status, out)
			assert.Contains(t, out, want)
			assert.Contains(t, out, finished)
			assert.NotContains(t, out, "leak")
			status, out = run(t, program, "-p 99:00.0")
			assert.Equal(t, 1, status, out)
			assert.Contains(t, out, "Sample finished with errors")
		})
	}
}

// The README shows the program hello as it is.
func TestHello(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("hello/main.go")
	require.NoError(t, err)
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "```go\n"+string(source)+"```\n")
	status, out := run(t, build(t, "hello"), "")
	assert.Zero(t, status, out)
	assert.Equal(t, "hello\n", out)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	demo := build(t, "demo")
	status, out := run(t, demo, "--nonsense")
	assert.Equal(t, 2, status, out)
	assert.Contains(t, out, "usage: demo [PROGRAM]")
	status, out = run(t, demo, build(t, "dma_copy"))
	assert.Zero(t, status, out)
	assert.Regexp(t, `  DPU: +Copied 268435456 bytes in [0-9.]+ s, [0-9.]+ [GM]B/s, CRC-32C [0-9a-f]{8}\n`, out)
	assert.Regexp(t, `file: +compared byte by byte in [0-9.]+ s: no difference\n`, out)
	assert.Contains(t, out, "next:    go run ./cmd/doca doctor ")
	assert.Contains(t, out, "emulator 3.0")
	assert.Contains(t, out, `"Hello from DOCA DMA, in Go."`)
	assert.Regexp(t, `copied: +64 MiB in 64 parts, [0-9.]+ [GM]B/s, compared byte by byte`, out)
	assert.Regexp(t, `to DPU: +"Hello from the host, in Go."\nto host: "Hello from the DPU, in Go."\n`, out)
	assert.Regexp(t, `data: +64 MiB from the host to the DPU in 64 messages, [0-9.]+ [GM]B/s, compared byte by byte`, out)
	assert.Regexp(t, `rdma: +DOCA RDMA between two processes, both on 0000:03:00.0\nwritten: "Hello by DOCA RDMA, in Go.", by the other process`, out)
	assert.NotContains(t, out, "leak")
}
