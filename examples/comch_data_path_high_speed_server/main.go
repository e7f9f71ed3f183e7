// Command comch_data_path_high_speed_server receives a text from
// comch_data_path_high_speed_client through a consumer, and then sends one through a producer,
// on the fast path of DOCA Comch. It is the Go twin of NVIDIA's sample of the same name, with
// the same flags and messages.
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
	pci, rep, text := "03:00.0", "b1:00.0", "Message from the client"
	p := argp.New("doca_comch_data_path_high_speed_server")
	p.String(&pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI address of the Comch device"})
	p.String(&rep, argp.Param{Short: "r", Long: "rep-pci", Help: "PCI address of the host function, as the host sees it"})
	sample.Text(p, &text, datapath.MaxText, "Text to send to the other side")
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, pci, rep, text) }))
}

func run(ctx context.Context, pci, repPCI, text string) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	rep, err := dev.OpenRepresentor(repPCI)
	if err != nil {
		return err
	}
	server, err := comch.Listen(ctx, dev, rep, datapath.ServerName, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	conn, err := server.Accept(ctx)
	if err != nil {
		return err
	}
	// Close delivers the last message first.
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := repeat(ctx, conn, datapath.Start); err != nil {
		return err
	}
	if err := datapath.Receive(ctx, conn); err != nil {
		return err
	}
	if err := datapath.Send(ctx, conn, text); err != nil {
		return err
	}
	return repeat(ctx, conn, datapath.Stop)
}

// repeat waits for a message and sends it back.
func repeat(ctx context.Context, conn *comch.Conn, msg string) error {
	if err := datapath.Expect(ctx, conn, msg); err != nil {
		return err
	}
	return conn.Send(ctx, []byte(msg))
}
