package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
)

func TestCapabilities(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	for name, c := range map[string]struct {
		info           doca.DeviceInfo
		server, client bool
	}{
		"DPU":  {l.dpu.Info(), true, false},
		"host": {l.host.Info(), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			caps := must(comch.CapabilitiesOf(c.info))(t)
			if caps.Server != c.server || caps.Client != c.client {
				t.Errorf("server %v, client %v", caps.Server, caps.Client)
			}
			for name, n := range map[string]uint32{
				"MaxNameLen": caps.MaxNameLen, "MaxMessageSize": caps.MaxMessageSize, "MaxRecvQueueSize": caps.MaxRecvQueueSize,
				"MaxSendTasks": caps.MaxSendTasks, "MaxClients": caps.MaxClients,
				"MaxConsumers": caps.Consumer.MaxConsumers, "consumers' MaxTasks": caps.Consumer.MaxTasks,
				"consumers' MaxBufferSize": caps.Consumer.MaxBufferSize, "consumers' MaxListLen": caps.Consumer.MaxListLen,
				"MaxProducers": caps.Producer.MaxProducers, "producers' MaxTasks": caps.Producer.MaxTasks,
				"producers' MaxBufferSize": caps.Producer.MaxBufferSize, "producers' MaxListLen": caps.Producer.MaxListLen,
			} {
				if n == 0 {
					t.Errorf("%s is 0", name)
				}
			}
			check(t, comch.Supported(c.info))
			if err := comch.ServerSupported(c.info); (err == nil) != c.server {
				t.Errorf("ServerSupported: %v", err)
			}
			if err := comch.ClientSupported(c.info); (err == nil) != c.client {
				t.Errorf("ClientSupported: %v", err)
			}
		})
	}
	_, err := comch.CapabilitiesOf(doca.DeviceInfo{PCIAddr: "0000:ff:1f.7"})
	wantErr(t, err, doca.ErrNotFound)
	wantErr(t, comch.Supported(doca.DeviceInfo{PCIAddr: "0000:ff:1f.7"}), doca.ErrNotFound)
}

// Where a PCI address has two entries in the list of devices, a program finds the one for Comch by its capability.
func TestSplitDevices(t *testing.T) {
	t.Setenv("DOCA_EMU_SPLIT_DEVICES", "1")
	first := must(doca.OpenDevice(dpu0))(t)
	defer first.Close()
	wantErr(t, comch.ServerSupported(first.Info()), doca.ErrNotSupported)
	second := must(doca.OpenDeviceFunc(func(i doca.DeviceInfo) bool {
		return i.PCIAddr == dpu0 && comch.ServerSupported(i) == nil
	}))(t)
	defer second.Close()
	if second.Info().Ibdev == first.Info().Ibdev {
		t.Errorf("both are %v", second)
	}
	for _, dev := range []*doca.Device{first, second} {
		rep := must(dev.OpenRepresentor(host0))(t)
		srv, err := comch.Listen(t.Context(), dev, rep, "split", comch.Config{})
		if dev == second {
			check(t, err)
			check(t, srv.Close())
			continue
		}
		wantErr(t, err, doca.ErrNotSupported, "this device is mlx5_0", "supports it, mlx5_4",
			`OpenDeviceFunc(func(i doca.DeviceInfo) bool { return i.PCIAddr == "0000:03:00.0" && comch.ServerSupported(i) == nil })`)
		assert.NotContains(t, err.Error(), "run on the DPU")
	}
	host := must(doca.OpenDevice(host0))(t)
	defer host.Close()
	_, err := comch.Dial(t.Context(), host, "split", comch.Config{})
	wantErr(t, err, doca.ErrNotSupported, "mlx5_6", `i.PCIAddr == "0000:b1:00.0" && comch.ClientSupported(i) == nil`)

	// A side that no entry supports is on the other machine.
	_, err = comch.Dial(t.Context(), second, "split", comch.Config{})
	wantErr(t, err, doca.ErrNotSupported, "clients run on the host")
	rep := must(second.OpenRepresentor(host0))(t)
	_, err = comch.Listen(t.Context(), host, rep, "split", comch.Config{})
	wantErr(t, err, doca.ErrNotSupported, "servers run on the DPU")
}
