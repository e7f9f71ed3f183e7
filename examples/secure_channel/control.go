package main

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	serverName = "secure_channel_server"
	maxMsgSize = 65535
)

// The types of the messages.
const (
	msgStart uint32 = iota // says what its sender is about to send
	msgEnd                 // all is done
)

// load is what one side sends.
type load struct{ msgs, size int }

// A message is its type in the machine's byte order, then the number of messages and their
// size in network byte order.
const msgLen = 12

func sendMsg(ctx context.Context, conn *comch.Conn, kind uint32, l load) error {
	b := binary.NativeEndian.AppendUint32(nil, kind)
	b = binary.BigEndian.AppendUint32(b, uint32(l.msgs))
	return conn.Send(ctx, binary.BigEndian.AppendUint32(b, uint32(l.size)))
}

// recvMsg receives a message, which must have that type.
func recvMsg(ctx context.Context, conn *comch.Conn, kind uint32) (l load, err error) {
	b, err := conn.Recv(ctx)
	if err != nil {
		return l, fmt.Errorf("waiting for a message of type %d: %w", kind, err)
	}
	if len(b) != msgLen {
		return l, fmt.Errorf("a message of %d bytes, not %d", len(b), msgLen)
	}
	if got := binary.NativeEndian.Uint32(b); got != kind {
		return l, fmt.Errorf("a message of type %d, not %d", got, kind)
	}
	l = load{int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))}
	if kind == msgStart && (l.msgs < 1 || l.size < 1 || l.size > maxMsgSize) {
		err = fmt.Errorf("the peer wants to send %d messages of %d bytes", l.msgs, l.size)
	}
	return l, err
}

// connect waits for a client if this is the DPU, and connects to the server if this is the
// host.
func connect(ctx context.Context, dev *doca.Device, repPCI string) (*comch.Conn, error) {
	if comch.ServerSupported(dev.Info()) != nil {
		return comch.Dial(ctx, dev, serverName, comch.Config{})
	}
	if repPCI == "" {
		return nil, fmt.Errorf("%s is a device of the DPU: -r, --rep-pci is missing", dev)
	}
	rep, err := dev.OpenRepresentor(repPCI)
	if err != nil {
		return nil, err
	}
	server, err := comch.Listen(ctx, dev, rep, serverName, comch.Config{})
	if err != nil {
		return nil, err
	}
	conn, err := server.Accept(ctx)
	if err != nil {
		return nil, err
	}
	go turnAway(ctx, server)
	return conn, nil
}

// turnAway closes the connections of further clients.
func turnAway(ctx context.Context, server *comch.Server) {
	for {
		conn, err := server.Accept(ctx)
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}
