package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Flags can come from a JSON file.
func TestJSON(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	write(t, p.host+"/f", 100)
	file := filepath.Join(t.TempDir(), "flags.json")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
		`{"doca_general_flags": {"log-level": 60, "sdk-log-level": 40}, "doca_program_flags": {"file": %q, "dev-pci": "03:00.0", "rep-pci": "b1:00.0", "timeout": 60}}`, p.dpu+"/f"), 0o600))
	dpu, host := launch(t, "--json "+file, p.env...), p.launchHost(t, "")
	dpu.ends(t, 0)
	host.ends(t, 0)
	assert.Equal(t, digest(t, p.host+"/f"), digest(t, p.dpu+"/f"))
}

// The program reports what is wrong with the command line or the file before it connects.
func TestArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/f", 10)
	require.NoError(t, os.Symlink("nowhere", dir+"/dangling"))
	require.NoError(t, syscall.Mkfifo(dir+"/fifo", 0o600))
	flags := func(text string) string {
		path := filepath.Join(t.TempDir(), "flags.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return "--json " + path
	}
	for _, c := range []struct {
		args string
		want string
	}{
		{"-p b1:00.0", "the mandatory flag -f, --file is missing"},
		{"-f " + dir + "/f", "the mandatory flag -p, --pci-addr is missing"},
		{"-p b1:00.0 -d b1:00.0 -f x", "give one of them"},
		{"-p b1:00.0 -f x --timeout 0", "0 is below 1"},
		{"-p b1:00.0 -f x -x", "unknown flag -x"},
		{"-p 99:00.0 -f " + dir + "/f", "this machine has 0000:03:00.0"},
		{"-p nonsense -f " + dir + "/f", "nonsense"},
		{"-p 03:00.0 -f " + dir + "/f", "-r, --rep-pci is missing"},
		{"-p 03:00.0 -r 99:00.0 -f " + dir + "/f", "the device has 0000:b1:00.0"},
		{"-p b1:00.0 -f " + dir, "is a directory: -f names one file"},
		{"-p b1:00.0 -f " + dir + "/fifo", "not a regular file"},
		{"-p b1:00.0 -f /proc/self/status", "claims to have 0 bytes, but has more"},
		{"-p b1:00.0 -f /proc/self/mem", "input/output error"},
		{"-p b1:00.0 -f " + dir + "/dangling", "a symbolic link to nothing"},
		{"-p b1:00.0 -f " + dir + "/f/below", "not a directory"},
		{"-p b1:00.0 -f " + dir + "/f", "start dma_copy on the DPU first"},
		{"-p b1:00.0 --timeout 1 -f " + dir + "/f", "no DPU has answered for 1s"},
		{"-p 03:00.0 -r b1:00.0 --timeout 1 -f " + dir + "/f", "no host has connected for 1s"},
		{"--json /nowhere/flags", "no such file"},
		{flags(`{"doca_program_flags": {"file": "x", "pci": "b1:00.0"}}`), `unknown key "pci"`},
		{flags(`{"doca_program_flags": {"file": 3}}`), "3 is not a string"},
		{flags(`{"doca_program_flags": {"file": "x",}}`), "invalid character '}'"},
		{flags(`{"doca_program_flags": {"file": "x"}}`), "--pci-addr is missing"},
	} {
		t.Run(strings.ReplaceAll(c.args, "/", "|"), func(t *testing.T) {
			t.Parallel()
			launch(t, c.args, "DOCA_EMU_COMCH_CONNECT_TIMEOUT=50", "DOCA_EMU_RUNTIME_DIR="+filepath.Join(t.TempDir(), "run")).ends(t, 1, c.want)
		})
	}
	assert.ElementsMatch(t, []string{"f", "dangling", "fifo"}, names(t, dir))
	launch(t, "-h").ends(t, 0, "Usage: doca_dma_copy", "-d, --dev-pci <PCI>")
	launch(t, "-v").ends(t, 0, "DOCA Version: 3.")
}
