package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If one side is stopped, the other one gives up in time, and says so at once.
func TestStopped(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		write(t, from+"/f", 64<<20)
		dpu, host := p.launchDPU(t, "--timeout 6", slow), p.launchHost(t, "--timeout 6")
		_, receiver := roles(dpu, host, hostHas)
		waitFor(t, func() bool { return receiver.received(t, to) >= 2<<20 })
		selfexec.Stop(t, dpu.Process)
		host.says(t, "allow more time with --timeout")
		require.NoError(t, dpu.Process.Signal(syscall.SIGCONT))
		host.ends(t, 1)
		dpu.ends(t, 1)
		assert.Empty(t, names(t, to))
	})
}

// full returns a directory with room for 1 MiB.
func full(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no disk that is full: mounting a tmpfs of 1 MiB needs root: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// readOnly returns a directory where nobody can create files, not even root.
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

// If the receiver cannot write, the source is told why.
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

// The source's file gets shorter during the copy.
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

// The source's file gets shorter while the source waits for the other side, which has a part of it.
func TestSourceShrinksBeforeResume(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		write(t, from+"/f", 1<<20)
		write(t, to+"/.f.part", 1<<19)
		require.NoError(t, os.Chmod(to+"/.f.part", 0o600))
		launch := []func() *program{func() *program { return p.launchDPU(t, "--resume") }, func() *program { return p.launchHost(t, "--resume") }}
		if hostHas {
			slices.Reverse(launch)
		}
		source := launch[0]()
		source.says(t, "File was found locally")
		require.NoError(t, os.Truncate(from+"/f", 1000))
		receiver := launch[1]()
		source.ends(t, 1, "became shorter while it was read")
		receiver.ends(t, 1, "it cannot read the file")
		assert.Equal(t, []string{".f.part"}, names(t, to))
	})
}

// The kernel says of its files under /sys that they have a page.
func TestSourceClaimsTooMuch(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	dpu := launch(t, "-p 03:00.0 -r b1:00.0 -f /sys/devices/system/cpu/online", p.env...)
	host := p.launchHost(t, "")
	dpu.ends(t, 1, fmt.Sprintf("/sys/devices/system/cpu/online claims to have %d bytes, but has fewer: copy it to a file on a disk first", os.Getpagesize()))
	host.ends(t, 1, "it cannot read the file")
	assert.Empty(t, names(t, p.host))
}

// If a DMA fails in the middle, both sides are told.
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

// If either side is killed, at any time, the other one ends, and the file is there only if all
// of it is.
func TestKilled(t *testing.T) {
	t.Parallel()
	for step := range 8 {
		pause := time.Duration(step*step) * 3 * time.Millisecond
		t.Run(fmt.Sprint("after ", pause), func(t *testing.T) {
			t.Parallel()
			directions(t, func(t *testing.T, hostHas bool) {
				for _, killDPU := range []bool{true, false} {
					t.Run(fmt.Sprint("DPU ", killDPU), func(t *testing.T) { testKilled(t, hostHas, killDPU, pause) })
				}
			})
		})
	}
}

func testKilled(t *testing.T, hostHas, killDPU bool, pause time.Duration) {
	p := newPair(t)
	from, to := p.sides(hostHas)
	write(t, from+"/f", 24<<20)
	dpu, host := p.launchDPU(t, "--timeout 3", "DOCA_EMU_FAULTS=delay=5ms"), p.launchHost(t, "--timeout 3")
	victim, survivor := dpu, host
	if !killDPU {
		victim, survivor = host, dpu
	}
	victim.says(t, "locally")
	time.Sleep(pause)
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
