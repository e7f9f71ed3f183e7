// Command secure_channel sends a number of messages over DOCA Comch's fast path and receives a
// number of messages from the peer at the same time. It runs on the host and on the DPU. It is
// the Go twin of NVIDIA's application of the same name, with the same flags and messages.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"github.com/go-doca/go-doca/doca/comch"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/device"
	"github.com/go-doca/go-doca/examples/internal/docalog"
)

type config struct {
	load     load
	pci, rep string
}

func main() {
	var cfg config
	p := argp.New("doca_secure_channel")
	p.Int(&cfg.load.size, 1, argp.Param{Short: "s", Long: "msg-size", Mandatory: true, Help: fmt.Sprintf("Bytes of each message to send (1 to %d)", maxMsgSize)})
	p.Int(&cfg.load.msgs, 1, argp.Param{Short: "n", Long: "num-msgs", Mandatory: true, Help: "Number of messages to send"})
	p.String(&cfg.pci, argp.Param{Short: "p", Long: "pci-addr", Mandatory: true, Help: "PCI address of the Comch device"})
	p.String(&cfg.rep, argp.Param{Short: "r", Long: "rep-pci", Help: "PCI address of the host function, as the host sees it (needed on the DPU)"})
	err := p.Parse(os.Args[1:], os.Stdout)
	if errors.Is(err, argp.ErrDone) {
		return
	}
	docalog.Setup(os.Stdout, os.Stderr, p.LogLevel)
	if err == nil {
		err = docalog.SDK(p.SDKLogLevel)
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(ctx, stop) // a second signal ends the program at once
		defer stop()
		err = run(ctx, cfg)
	}
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg config) (err error) {
	if cfg.load.size > maxMsgSize {
		return fmt.Errorf("messages of %d bytes are too long: -s is at most %d", cfg.load.size, maxMsgSize)
	}
	dev, err := device.Open(cfg.pci, comch.Supported)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, a server included.
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := connect(ctx, dev, cfg.rep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := sendMsg(ctx, conn, msgStart, cfg.load); err != nil {
		return err
	}
	peer, err := recvMsg(ctx, conn, msgStart)
	if err != nil {
		return err
	}
	if err := exchange(ctx, conn, cfg.load, peer); err != nil {
		return err
	}
	return end(ctx, conn)
}

// exchange sends and receives until both are done, or one fails.
func exchange(ctx context.Context, conn *comch.Conn, own, peer load) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error, 2)
	go func() { results <- produce(ctx, conn, own) }()
	go func() { results <- consume(ctx, conn, peer) }()
	if err := <-results; err != nil {
		cancel()
		<-results // the other one, which ends with the context
		return err
	}
	return <-results
}

// end lets the host leave first, once the DPU has said that it is done.
func end(ctx context.Context, conn *comch.Conn) error {
	if conn.Server() == nil {
		_, err := recvMsg(ctx, conn, msgEnd)
		return err
	}
	if err := sendMsg(ctx, conn, msgEnd, load{}); err != nil {
		return err
	}
	select {
	case <-conn.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
