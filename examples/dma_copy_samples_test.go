package examples

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dmaCopy is one run of dma_copy_host, whose memory dma_copy_dpu reads, and the files of both.
type dmaCopy struct {
	dir, descriptor, buffer string
	host                    *exec.Cmd
	out                     *bufio.Reader // of the host
	enter                   func() error
}

func (d *dmaCopy) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, append([]string{"-d", d.descriptor, "--buffer-path", d.buffer}, args...)...)
	cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+filepath.Join(d.dir, "run"),
		"GOGC=1") // leaks are reported at collections
	return cmd
}

// startDMACopy starts a host, and returns when the DPU can read its memory.
func startDMACopy(t *testing.T, program string, args ...string) *dmaCopy {
	dir := t.TempDir()
	d := &dmaCopy{dir: dir, descriptor: filepath.Join(dir, "desc"), buffer: filepath.Join(dir, "info")}
	d.host = d.command(program, args...)
	in, err := d.host.StdinPipe()
	require.NoError(t, err)
	out, both, err := os.Pipe() // C logs to the one, Go to the other
	require.NoError(t, err)
	t.Cleanup(func() { out.Close() })
	d.host.Stdout, d.host.Stderr = both, both
	require.NoError(t, d.host.Start())
	require.NoError(t, both.Close())
	stop := time.AfterFunc(time.Minute, func() { _ = d.host.Process.Kill() })
	t.Cleanup(func() { stop.Stop() })
	d.out = bufio.NewReader(out)
	d.enter = func() error { _, err := in.Write([]byte("\n")); return err }
	for {
		line, err := d.out.ReadString('\n')
		require.NoError(t, err, "the host ends")
		if strings.Contains(line, "] Press Enter when it has ended") {
			return d
		}
	}
}

func (d *dmaCopy) end(t *testing.T) {
	require.NoError(t, d.enter())
	line, err := d.out.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, finished)
	require.NoError(t, d.host.Wait())
	assert.NoDirExists(t, filepath.Join(d.dir, "run"), "the programs leave their directory")
}

func runDMACopies(t *testing.T, host, dpu string) {
	for _, c := range []struct{ name, text, hostArgs, dpuArgs string }{
		{"defaults", "This is a sample piece of text", "", ""},
		{"flags", "another", "-t another -p b1:00.1", "-p 0000:03:00.1 -ns 3 --num-dst-buf 2"},
		{"longest text", strings.Repeat("x", 4096), "--text " + strings.Repeat("x", 4096), "-ns 40 -nd 24"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startDMACopy(t, host, strings.Fields(c.hostArgs)...)
			out, err := d.command(dpu, strings.Fields(c.dpuArgs)...).CombinedOutput()
			assert.NoError(t, err, string(out))
			for _, want := range []string{"] Starting the sample\n", "] Remote DMA copy was done successfully\n",
				"] Memory content: " + c.text + "\n", "] Host sample can be closed, DMA copy ended\n", finished} {
				assert.Contains(t, string(out), want)
			}
			assert.NotContains(t, string(out), "leak")
			d.end(t)
		})
	}
	refusedCopies(t, host, dpu)
}

// refusedCopies runs the DPU with files that do not belong to the host's memory.
func refusedCopies(t *testing.T, host, dpu string) {
	d := startDMACopy(t, host)
	good, err := os.ReadFile(d.descriptor)
	require.NoError(t, err)
	info, err := os.ReadFile(d.buffer)
	require.NoError(t, err)
	addr, size, _ := strings.Cut(string(info), "\n")
	assert.Equal(t, "31", size)
	altered := append([]byte(nil), good...)
	altered[len(altered)-1] ^= 1
	for name, c := range map[string]struct {
		descriptor []byte
		info, args string
	}{
		"an altered descriptor":   {altered, string(info), ""},
		"a truncated descriptor":  {good[:len(good)-1], string(info), ""},
		"an empty descriptor":     {nil, string(info), ""},
		"another port":            {good, string(info), "-p 03:00.1"},
		"no length":               {good, addr, ""},
		"a length of zero":        {good, addr + "\n0", ""},
		"more than a task copies": {good, addr + "\n0x200001", ""},
		"more than was exported":  {good, addr + "\n32", ""},
		"an address before it":    {good, "0x1000\n31", ""},
		"no numbers":              {good, "here\nand there", ""},
		"too many buffers":        {good, string(info), "-ns 64"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(d.descriptor, c.descriptor, 0o600))
			require.NoError(t, os.WriteFile(d.buffer, []byte(c.info), 0o600))
			cmd := d.command(dpu, strings.Fields(c.args)...)
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, 1, cmd.ProcessState.ExitCode(), string(out))
			assert.Contains(t, string(out), "Sample finished with errors")
		})
	}
	require.NoError(t, os.WriteFile(d.descriptor, good, 0o600))
	require.NoError(t, os.WriteFile(d.buffer, info, 0o600))
	d.end(t)
	out, err := d.command(dpu).CombinedOutput() // the host has left
	assert.Error(t, err)
	assert.Contains(t, string(out), "Sample finished with errors")
}
