package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What has come is kept and not copied again.
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

// slow makes DMA last, so that there is time to interrupt it.
const slow = "DOCA_EMU_FAULTS=delay=30ms"

// An interrupt in the middle: with --resume the next copy goes on from there.
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
