// Command comch_data_path_high_speed_client sends a text to comch_data_path_high_speed_server
// through a producer, and then receives one through a consumer, on the fast path of DOCA
// Comch. It is the Go twin of NVIDIA's sample of the same name, with the same flags and
// messages.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/go-doca/go-doca/doca/comch"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/datapath"
	"github.com/go-doca/go-doca/examples/internal/device"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

func main() {
	pci, text := "b1:00.0", "Message from the client"
	p := argp.New("doca_comch_data_path_high_speed_client")
	p.String(&pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI address of the Comch device"})
	sample.Text(p, &text, datapath.MaxText, "Text to send to the other side")
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, pci, text) }))
}

func run(ctx context.Context, pci, text string) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := comch.Dial(ctx, dev, datapath.ServerName, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := ask(ctx, conn, datapath.Start); err != nil {
		return err
	}
	if err := datapath.Send(ctx, conn, text); err != nil {
		return err
	}
	if err := datapath.Receive(ctx, conn); err != nil {
		return err
	}
	return ask(ctx, conn, datapath.Stop)
}

// ask sends a message and waits until the server repeats it.
func ask(ctx context.Context, conn *comch.Conn, msg string) error {
	if err := conn.Send(ctx, []byte(msg)); err != nil {
		return err
	}
	return datapath.Expect(ctx, conn, msg)
}
