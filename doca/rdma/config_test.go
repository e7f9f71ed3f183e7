package rdma_test

import (
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A config with everything set works.
func TestConfig(t *testing.T) {
	index, mtu, retries := uint32(1), rdma.MTU1024, uint8(7)
	a, b := newPair(t, rdma.Config{Permissions: doca.AccessLocalReadWrite | doca.AccessRDMAWrite, Transport: rdma.TransportRC, MaxConnections: 2,
		MaxTasks: 3, MaxReceives: 5, MaxListLen: 2, ReceiveListLen: 2, SendQueueSize: 64, RecvQueueSize: 64, GIDIndex: &index, GRH: true, MTU: &mtu,
		SL: 3, RNRRetries: &retries, RequestTimeout: time.Second})
	assert.Equal(t, 5, b.rdma.MaxReceives())
	require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
	wantErr(t, a.conn.Read(soonish(t), a.mem, 0, a.peer, 0, 8), doca.ErrIOFailed, "Permissions")
}

func TestConfigRefused(t *testing.T) {
	dev := must(doca.OpenDevice(doctest.DPU0))(t)
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	t.Cleanup(func() {
		check(t, pe.Close())
		check(t, dev.Close())
	})
	index, mtu, retries := uint32(1000), rdma.MTU(77), uint8(8)
	for field, c := range map[string]struct {
		cfg  rdma.Config
		want error
	}{
		"Permissions":    {rdma.Config{Permissions: doca.AccessPCIReadWrite}, doca.ErrInvalidValue},
		"Transport":      {rdma.Config{Transport: 5}, doca.ErrInvalidValue},
		"MaxConnections": {rdma.Config{MaxConnections: -1}, doca.ErrInvalidValue},
		"MaxTasks":       {rdma.Config{MaxTasks: 1 << 30}, doca.ErrInvalidValue},
		"MaxReceives":    {rdma.Config{MaxReceives: -1}, doca.ErrInvalidValue},
		"MaxListLen":     {rdma.Config{MaxListLen: 1 << 20}, doca.ErrInvalidValue},
		"GIDIndex":       {rdma.Config{GIDIndex: &index}, doca.ErrInvalidValue},
		"MTU":            {rdma.Config{MTU: &mtu}, doca.ErrInvalidValue},
		"SL":             {rdma.Config{SL: 16}, doca.ErrInvalidValue},
		"RNRRetries":     {rdma.Config{RNRRetries: &retries}, doca.ErrInvalidValue},
		"RequestTimeout": {rdma.Config{RequestTimeout: time.Microsecond}, doca.ErrInvalidValue},
	} {
		t.Run(field, func(t *testing.T) {
			_, err := rdma.New(dev, pe, c.cfg)
			wantErr(t, err, c.want, "Config."+field)
		})
	}
	_, err := rdma.New(nil, pe, rdma.Config{})
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = rdma.New(dev, nil, rdma.Config{})
	wantErr(t, err, doca.ErrInvalidValue)
}
