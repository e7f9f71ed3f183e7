package comchnet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// takeLocked handles a message, which lies at the start of the receive buffer's room. An error ends
// the connection. The caller holds mu.
func (c *Conn) takeLocked(msg []byte) error {
	if c.peerClosed { // such as the farewell of a peer that sets Config.Farewell alone
		return nil
	}
	if len(msg) == 0 { // DOCA's functions send none, but the peer may be anything
		return fmt.Errorf("%w: the peer has sent an empty message", doca.ErrUnexpected)
	}
	kind, rest := frameData, msg
	if len(msg) <= maxFrame {
		kind, rest = int(msg[0]), msg[1:]
	}
	if (kind == frameHello) == c.greeted && kind != frameReset {
		return fmt.Errorf("%w: the peer must send HELLO first and only once: both sides must use package comchnet", doca.ErrUnexpected)
	}
	switch {
	case kind == frameData && len(rest) > 0 && len(rest) <= c.granted && !c.peerEnded:
		n := len(rest)
		if n < len(msg) {
			copy(msg, rest)
		}
		c.granted -= n
		c.in.put(n)
		c.bulk.got += uint32(n)
		c.readable.notifyLocked()
		return nil
	case kind == frameHello && len(rest) == 5:
		if rest[0] != version {
			return fmt.Errorf("%w: the peer has version %d of the protocol, this side has %d", doca.ErrUnsupportedVersion, rest[0], version)
		}
		c.greeted = true
		c.out.offered = rest[4]&windowBulk != 0
		return c.takeWindowLocked(rest[1:], 2*c.maxMessage)
	case kind == frameWindow && len(rest) == 4:
		return c.takeWindowLocked(rest, 1)
	case kind == frameEnd && len(rest) == 0 && !c.peerEnded:
		c.peerEnded = true
		c.readable.notifyLocked()
		return nil
	case kind == frameClose && len(rest) == 0:
		c.peerEnded, c.peerClosed = true, true
		c.readable.notifyLocked()
		c.writable.notifyLocked()
		return nil
	case kind == frameReset && len(rest) == 1:
		return c.peerReset(doca.Error(rest[0]))
	case kind == frameOpen && len(rest) == 0 && c.bulk.size > 0 && !c.bulk.opened:
		c.bulk.opened, c.bulk.running = true, !c.closed
		c.helpLocked(c.receiveBulk)
		return nil
	case kind == frameConsumer && len(rest) == 5:
		return c.takeConsumerLocked(rest)
	case kind == frameAfter && len(rest) == 4 && !c.peerEnded:
		return c.takeMarkLocked(binary.BigEndian.Uint32(rest))
	}
	return fmt.Errorf("%w: the peer has sent a message of %d bytes and type %d, with a window of %d bytes, after END: %t",
		doca.ErrUnexpected, len(msg), kind, c.granted, c.peerEnded)
}

// takeWindowLocked adds what the peer grants to the window.
func (c *Conn) takeWindowLocked(number []byte, least int) error {
	n := binary.BigEndian.Uint32(number)
	if int64(n) < int64(least) || int64(n)+int64(c.window) > 1<<31-1 {
		return fmt.Errorf("%w: the peer has granted a window of %d bytes", doca.ErrUnexpected, n)
	}
	c.window += int(n)
	c.writable.notifyLocked()
	return nil
}

// expel disconnects a peer that has sent RESET or has broken the protocol. It tells the latter
// why.
func (c *Conn) expel(why error) {
	if code := doca.ErrUnexpected; !errors.Is(why, doca.ErrConnectionReset) {
		errors.As(why, &code)
		ctx, cancel := context.WithTimeout(c.life, closeTimeout)
		defer cancel()
		c.send(ctx, []byte{frameReset, byte(code)})
	}
	_ = c.raw.Close()
}
