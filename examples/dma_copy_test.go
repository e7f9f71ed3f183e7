package examples

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copying is a pair of dma_copy programs with a directory each.
type copying struct {
	dpu, host string // programs
	dir       string
}

func (c *copying) path(side string) string { return filepath.Join(c.dir, side, "f") }

// run runs both and returns their exit statuses and outputs, the DPU's first.
func (c *copying) run(t *testing.T) (status [2]int, out [2]string) {
	var cmds [2]*exec.Cmd
	var outs [2]bytes.Buffer
	for i, words := range []string{c.dpu + " -p 03:00.0 -r b1:00.0 -f " + c.path("dpu"), c.host + " -p b1:00.0 -f " + c.path("host")} {
		args := strings.Fields(words)
		cmds[i] = exec.Command(args[0], args[1:]...)
		cmds[i].Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+filepath.Join(c.dir, "run"),
			"DOCA_EMU_COMCH_CONNECT_TIMEOUT=20000")
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], &outs[i]
		require.NoError(t, cmds[i].Start())
		killer := time.AfterFunc(time.Minute, func() { _ = cmds[i].Process.Kill() })
		defer killer.Stop()
	}
	for i, cmd := range cmds {
		_ = cmd.Wait()
		status[i], out[i] = cmd.ProcessState.ExitCode(), outs[i].String()
	}
	assert.NoDirExists(t, filepath.Join(c.dir, "run"), "the programs leave their directory")
	return status, out
}

func newCopying(t *testing.T, dpu, host string) *copying {
	c := &copying{dpu: dpu, host: host, dir: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "dpu"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "host"), 0o700))
	return c
}

// TestDMACopy copies between the programs in Go and in C, in both directions: their messages
// are the same. If a copy is not possible with C, both sides say so.
func TestDMACopy(t *testing.T) {
	t.Parallel()
	needC(t)
	inGo := build(t, "dma_copy")
	cc := compileC(t)
	sources := []string{"dma_copy_channel.c", "dma_common.c", "sample.c"}
	dpuInC, hostInC := cc("DPU", "dma_copy", sources), cc("HOST", "dma_copy", sources)
	for _, c := range []struct{ name, dpu, host string }{
		{"Go, Go", inGo, inGo}, {"Go, C", inGo, hostInC}, {"C, Go", dpuInC, inGo}, {"C, C", dpuInC, hostInC},
	} {
		for _, side := range []string{"host", "dpu"} {
			for _, size := range []int{1, 4095, 4096, 1 << 20, 1<<20 + 1, 2 << 20} {
				t.Run(fmt.Sprintf("%s, %d bytes from the %s", c.name, size, side), func(t *testing.T) {
					t.Parallel()
					testCopied(t, newCopying(t, c.dpu, c.host), side, size)
				})
			}
			t.Run(c.name+", refused, "+side, func(t *testing.T) {
				t.Parallel()
				testRefused(t, newCopying(t, c.dpu, c.host), side, c.name == "Go, Go")
			})
		}
	}
}

func testCopied(t *testing.T, c *copying, side string, size int) {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(content)
	require.NoError(t, os.WriteFile(c.path(side), content, 0o600))
	status, out := c.run(t)
	assert.Equal(t, [2]int{}, status, out)
	assert.Contains(t, out[0], "DMA copy was done Successfully")
	assert.Contains(t, out[1], "Final status message was successfully received")
	for i, which := range []string{"dpu", "host"} {
		got, err := os.ReadFile(c.path(which))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(content, got), which)
		said := "File was found locally"
		if which != side {
			said = "File was not found locally"
		}
		assert.Contains(t, out[i], said)
	}
}

// testRefused tries what both programs refuse: both sides have the file, neither has it, or it
// is too large or empty.
func testRefused(t *testing.T, c *copying, side string, bothInGo bool) {
	status, out := c.run(t)
	assert.Equal(t, [2]int{1, 1}, status, out)
	if !bothInGo {
		for _, size := range []int64{2<<20 + 1, 0} {
			require.NoError(t, os.WriteFile(c.path(side), nil, 0o600))
			require.NoError(t, os.Truncate(c.path(side), size))
			status, out = c.run(t)
			assert.Equal(t, [2]int{1, 1}, status, "%d bytes: %s", size, out)
			files, err := filepath.Glob(filepath.Join(c.dir, "*", "*"))
			require.NoError(t, err)
			assert.Equal(t, []string{c.path(side)}, files)
		}
	}
	require.NoError(t, os.WriteFile(c.path("host"), []byte("host"), 0o600))
	require.NoError(t, os.WriteFile(c.path("dpu"), []byte("dpu"), 0o600))
	status, out = c.run(t)
	assert.Equal(t, [2]int{1, 1}, status, out)
	content, err := os.ReadFile(c.path(side))
	require.NoError(t, err)
	assert.Equal(t, side, string(content))
}
