package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// With a time limit either side may be first.
func TestHostFirst(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.env = append(p.env, "DOCA_EMU_COMCH_CONNECT_TIMEOUT=20")
	write(t, p.host+"/f", 100)
	host := p.launchHost(t, "--timeout 60")
	host.says(t, "File was found locally")
	time.Sleep(100 * time.Millisecond)
	p.launchDPU(t, "--timeout 60").ends(t, 0)
	host.ends(t, 0)
}

// A second host is told why it cannot be served.
func TestSecondHost(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	write(t, p.host+"/f", 64<<20)
	dpu, host := p.launchDPU(t, "", slow), p.launchHost(t, "")
	waitFor(t, func() bool { return dpu.received(t, p.dpu) > 0 })
	p.launchHost(t, "").ends(t, 1, "it is copying with another host")
	dpu.ends(t, 0)
	host.ends(t, 0)
}

// An interrupt is called that on both sides, also before there is a connection.
func TestInterruptedBeforeConnecting(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, addr := range []string{"03:00.0", "b1:00.0"} {
		t.Run(addr, func(t *testing.T) {
			dev, err := doca.OpenDevice(addr)
			require.NoError(t, err)
			defer dev.Close()
			_, err = connect(ctx, dev, config{rep: "b1:00.0"})
			assert.EqualError(t, err, "interrupted")
		})
	}
}
