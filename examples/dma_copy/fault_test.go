package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, time.Minute, time.Millisecond)
}

// What is wrong with the command line or the file is told before there is a connection.
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

// Both sides are told, and neither has anything new.
func TestNothingToCopy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes     []int64
		dpu, host string
	}{
		"both":    {[]int64{5, 6}, "the host has the file as well", "both sides have the file"},
		"neither": {nil, "the host does not have the file either", "neither side has the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			for i, n := range c.sizes {
				write(t, []string{p.host, p.dpu}[i]+"/f", n)
			}
			before := fmt.Sprint(names(t, p.host), names(t, p.dpu))
			dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
			dpu.ends(t, 1, c.dpu)
			host.ends(t, 1, c.host)
			assert.Equal(t, before, fmt.Sprint(names(t, p.host), names(t, p.dpu)))
		})
	}
}

// full is a directory with room for 1 MiB.
func full(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no disk that is full: mounting a tmpfs of 1 MiB needs root: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// readOnly is a directory where nothing can be made, not even by root.
func readOnly(t *testing.T) string {
	dir := t.TempDir()
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { assert.NoError(t, os.Chmod(dir, 0o700)) })
		return dir
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("root may write everywhere, and a read-only tmpfs cannot be mounted: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// The receiver cannot write: the source is told why.
func TestCannotWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dir  func(t *testing.T) string
		want string
	}{
		"disk full":    {full, "no space left on device"},
		"not allowed":  {readOnly, "-f must be in a directory where this user can create files"},
		"no directory": {func(t *testing.T) string { return t.TempDir() + "/none" }, "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			directions(t, func(t *testing.T, hostHas bool) {
				p := newPair(t)
				if hostHas {
					p.dpu = c.dir(t)
				} else {
					p.host = c.dir(t)
				}
				from, to := p.sides(hostHas)
				write(t, from+"/f", 20<<20)
				dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
				source, receiver := roles(dpu, host, hostHas)
				receiver.ends(t, 1, c.want)
				source.ends(t, 1, "the other side has given up: it cannot write the file")
				if name != "no directory" {
					assert.Empty(t, names(t, to))
				}
			})
		})
	}
}

// The source's file changes under its feet.
func TestSourceShrinks(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		write(t, from+"/f", 64<<20)
		dpu, host := p.launchDPU(t, "", slow), p.launchHost(t, "")
		source, receiver := roles(dpu, host, hostHas)
		waitFor(t, func() bool { return receiver.received(t, to) >= 2<<20 })
		require.NoError(t, os.Truncate(from+"/f", 30<<20))
		source.ends(t, 1, "became shorter")
		receiver.ends(t, 1, "it cannot read the file")
		assert.Empty(t, names(t, to))
	})
}

// DMA fails in the middle: both sides are told.
func TestDMAFails(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		write(t, from+"/f", 20<<20)
		dpu, host := p.launchDPU(t, "", "DOCA_EMU_FAULTS=fail-task=4"), p.launchHost(t, "")
		dpu.ends(t, 1, "IO_FAILED")
		host.ends(t, 1)
		assert.Empty(t, names(t, to))
	})
}

// Either side is killed at some time: the other one ends, and the file is not there unless
// all of it is.
func TestKilled(t *testing.T) {
	t.Parallel()
	const size = 24 << 20
	for step := range 8 {
		directions(t, func(t *testing.T, hostHas bool) {
			for _, killDPU := range []bool{true, false} {
				p := newPair(t)
				from, to := p.sides(hostHas)
				write(t, from+"/f", size)
				dpu, host := p.launchDPU(t, "--timeout 3", "DOCA_EMU_FAULTS=delay=5ms"), p.launchHost(t, "--timeout 3")
				victim, survivor := dpu, host
				if !killDPU {
					victim, survivor = host, dpu
				}
				victim.says(t, "locally")
				time.Sleep(time.Duration(step*step) * 3 * time.Millisecond)
				require.NoError(t, victim.Process.Kill())
				_ = victim.Wait()
				_ = survivor.Wait()
				out := survivor.out.String()
				if _, err := os.Stat(to + "/f"); err == nil {
					assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
				} else {
					assert.Equal(t, 1, survivor.ProcessState.ExitCode(), out)
					assert.Equal(t, 1, strings.Count(out, "[DOCA][ERR]"), out)
				}
				assert.Subset(t, []string{"f"}, names(t, to), out)
			}
		})
	}
}
