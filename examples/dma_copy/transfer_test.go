package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 1, 4095, 4096, 1 << 20, 1<<20 + 1, 20<<20 + 7} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			directions(t, func(t *testing.T, hostHas bool) {
				p := newPair(t)
				from, to := p.sides(hostHas)
				write(t, from+"/f", size)
				require.NoError(t, os.Chmod(from+"/f", 0o741))
				dpu, host := p.launchDPU(t, "--sha256"), p.launchHost(t, "")
				sum := digest(t, from+"/f")
				copied := fmt.Sprintf("Copied %d bytes in ", size)
				dpu.ends(t, 0, "DMA copy was done Successfully", copied, ", SHA-256 "+sum)
				host.ends(t, 0, "Final status message was successfully received", copied, "CRC-32C")
				assert.Equal(t, sum, digest(t, to+"/f"))
				info, err := os.Stat(to + "/f")
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o741), info.Mode())
				assert.Equal(t, []string{"f"}, names(t, to))
				assert.NoDirExists(t, filepath.Join(filepath.Dir(p.host), "run"))
			})
		})
	}
}

// A DMA of the device may be much smaller than the buffers.
func TestSmallDMA(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		p.env = append(p.env, "DOCA_EMU_DMA_MAX_BUF_SIZE=4000")
		from, to := p.sides(hostHas)
		write(t, from+"/f", 3<<20+1)
		dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
		dpu.ends(t, 0)
		host.ends(t, 0)
		assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
	})
}

// The file is larger than 32 bits can count. It is a hole, which costs the reader nothing; the
// copy takes 3 GiB of the temporary directory.
func TestLargeFile(t *testing.T) {
	if os.Getenv("DMA_COPY_LARGE") == "" {
		t.Skip("set DMA_COPY_LARGE=1 to copy 3 GiB in both directions")
	}
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		require.NoError(t, os.WriteFile(from+"/f", []byte("first"), 0o600))
		require.NoError(t, os.Truncate(from+"/f", 3<<30-4))
		f, err := os.OpenFile(from+"/f", os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		_, err = f.WriteString("last")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
		dpu.ends(t, 0, "Copied 3221225472 bytes")
		host.ends(t, 0)
		assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
	})
}

// What has arrived is kept and not copied again.
func TestResume(t *testing.T) {
	t.Parallel()
	const size = 10<<20 + 5
	for _, c := range []struct {
		name    string
		part    func(b []byte) []byte
		flag    string
		goes    string
		without string
	}{
		{"goes on", func(b []byte) []byte { return b[:3<<20+1] }, "--resume", "Copied 7340036 bytes", ""},
		{"all but the name", func(b []byte) []byte { return b }, "--resume", "Copied 0 bytes", ""},
		{"of another file", func(b []byte) []byte { b[7] ^= 1; return b[:3<<20] }, "--resume", "Copied 10485765 bytes", "Going on"},
		{"of a longer file", func(b []byte) []byte { return append(b, 1) }, "--resume", "Copied 10485765 bytes", "Going on"},
		{"not asked for", func(b []byte) []byte { return b[:3<<20] }, "", "Copied 10485765 bytes", "Going on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			directions(t, func(t *testing.T, hostHas bool) {
				p := newPair(t)
				from, to := p.sides(hostHas)
				write(t, from+"/f", size)
				b, err := os.ReadFile(from + "/f")
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(to+"/.f.part", c.part(b), 0o600))
				dpu, host := p.launchDPU(t, c.flag), p.launchHost(t, c.flag)
				dpu.ends(t, 0, c.goes)
				host.ends(t, 0, c.goes)
				assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
				if c.flag != "" {
					assert.Equal(t, []string{"f"}, names(t, to))
				}
				if c.without != "" {
					assert.NotContains(t, dpu.out.String(), c.without)
				}
			})
		})
	}
}

// After an interrupt in the middle, the next copy with --resume goes on from there.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, flag := range map[string]string{"resume": "--resume", "nothing is left": ""} {
		t.Run(name, func(t *testing.T) {
			directions(t, func(t *testing.T, hostHas bool) {
				p := newPair(t)
				from, to := p.sides(hostHas)
				write(t, from+"/f", 64<<20)
				dpu, host := p.launchDPU(t, flag, slow), p.launchHost(t, flag)
				source, receiver := roles(dpu, host, hostHas)
				waitFor(t, func() bool { return receiver.received(t, to) >= 2<<20 })
				require.NoError(t, receiver.Process.Signal(syscall.SIGINT))
				receiver.ends(t, 1, "interrupted")
				source.ends(t, 1, "the other side has given up: it was interrupted")
				assert.NoFileExists(t, to+"/f")
				if flag == "" {
					assert.Empty(t, names(t, to))
					return
				}
				dpu, host = p.launchDPU(t, flag), p.launchHost(t, flag)
				dpu.ends(t, 0, "Going on after the first ")
				host.ends(t, 0, "Going on after the first ")
				assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
			})
		})
	}
}

// If a side gives up before the file has its name, the file does not get it.
func TestInterruptedAtTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for keep, left := range map[bool][]string{false: {}, true: {".f.part"}} {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			d, err := createDestination(path, keep)
			require.NoError(t, err)
			require.NoError(t, d.f.Truncate(5))
			copying := &transfer{dst: d, cfg: config{file: path}, mode: 0o644}
			err = copying.commit(ctx)
			require.ErrorContains(t, err, "interrupted")
			assert.Equal(t, reasonInterrupted, reasonOf(err))
			assert.False(t, d.complete)
			d.release()
			assert.Equal(t, left, names(t, filepath.Dir(path)))
		})
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "2.50 GB/s", rate(2.5e9))
	assert.Equal(t, "0.50 GB/s", rate(5e8))
	assert.Equal(t, "4.00 MB/s", rate(4e6))
	assert.Equal(t, "0.10 kB/s", rate(100))
}
