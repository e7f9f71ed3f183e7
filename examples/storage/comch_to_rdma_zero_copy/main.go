// Command comch_to_rdma_zero_copy connects initiator_comch on the host with target_rdma across the network. It runs on the
// BlueField. It is the Go twin of NVIDIA's application of this name. See docs/storage.md.
package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
	"github.com/go-doca/go-doca/examples/storage/relay"
)

const name = "doca_storage_comch_to_rdma_zero_copy"

func main() {
	cfg := relay.Config{}
	p := argp.New(name)
	app.Place(p, &cfg.Device, &cfg.CPUs)
	p.String(&cfg.Representor, argp.Param{Short: "r", Long: "representor", Argument: "<PCI>", Mandatory: true, Help: "PCI address of the host function, as the host sees it"})
	p.String(nil, argp.Param{Long: "storage-server", Argument: "<ip:port>", Mandatory: true, Help: "Address of the target", Set: func(s string) error {
		cfg.Target = s
		if a, err := netip.ParseAddrPort(s); err != nil || !a.Addr().Is4() || a.Port() == 0 {
			return fmt.Errorf("%q is no IPv4 address with a port, such as 192.0.2.1:12345", s)
		}
		return nil
	}})
	app.Channel(p, &cfg.Channel, &cfg.Older)
	app.Timeout(p, &cfg.Timeout)
	os.Exit(app.Main(p, name, func() []app.Field {
		app.Defaults(&cfg.Channel, &cfg.Timeout, cfg.Older)
		return []app.Field{
			{Name: "cpu_set", Value: cfg.CPUs}, {Name: "device_id", Value: cfg.Device}, {Name: "representor_id", Value: cfg.Representor},
			{Name: "command_channel_name", Value: cfg.Channel}, {Name: "storage_server", Value: cfg.Target},
			{Name: "control_timeout", Value: cfg.Timeout}, {Name: "older_messages", Value: cfg.Older},
		}
	}, func(ctx context.Context) error { return relay.Run(ctx, cfg, os.Stdout) }))
}
