package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	serverName = "dma copy server"
	retryPause = 100 * time.Millisecond
	tellTime   = 2 * time.Second // for the last message to a peer that may be gone
)

// connect waits for the host if this is the DPU, and connects to the DPU if this is the host.
func connect(ctx context.Context, dev *doca.Device, cfg config) (*comch.Conn, error) {
	ctx, done := limit(ctx, cfg.timeout)
	defer done()
	if comch.ServerSupported(dev.Info()) != nil {
		return dial(ctx, dev, cfg)
	}
	if cfg.rep == "" {
		return nil, fmt.Errorf("%s is a device of the DPU: -r, --rep-pci is missing", dev)
	}
	rep, err := dev.OpenRepresentor(cfg.rep)
	if err != nil {
		return nil, err
	}
	server, err := comch.Listen(ctx, dev, rep, serverName, comch.Config{})
	if errors.Is(err, doca.ErrAlreadyExist) {
		return nil, fmt.Errorf("%w: another dma_copy serves this host: wait until it ends", err)
	}
	if err != nil {
		return nil, outOfTime(ctx, err, "the server has not started", cfg.timeout)
	}
	conn, err := server.Accept(ctx)
	if err != nil {
		return nil, outOfTime(ctx, err, "no host has connected", cfg.timeout)
	}
	go turnAway(server)
	return conn, nil
}

// dial connects to the DPU. With a time limit it tries again until that is over.
func dial(ctx context.Context, dev *doca.Device, cfg config) (*comch.Conn, error) {
	for {
		conn, err := comch.Dial(ctx, dev, serverName, comch.Config{})
		switch {
		case err == nil:
			return conn, nil
		case ctx.Err() != nil:
			return nil, outOfTime(ctx, err, "no DPU has answered", cfg.timeout)
		case !errors.Is(err, doca.ErrNotConnected) && !errors.Is(err, comch.ErrNoServer):
			return nil, err
		case cfg.timeout == 0:
			return nil, fmt.Errorf("%w: start dma_copy on the DPU first, or wait for it with --timeout", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// turnAway refuses the connections of further hosts, until the server is closed.
func turnAway(server *comch.Server) {
	for {
		conn, err := server.Accept(context.Background())
		if err != nil {
			return
		}
		ctx, done := context.WithTimeout(context.Background(), tellTime)
		refuse(ctx, conn, reasonBusy)
		done()
		_ = conn.Close()
	}
}

// refuse tells a peer that there will be no copy, and why.
func refuse(ctx context.Context, conn *comch.Conn, why reason) {
	// Errors of these are ignored: the reason is an error that says more.
	_ = conn.Send(ctx, status{reason: why}.encode())
	_ = conn.Flush(ctx)
}
