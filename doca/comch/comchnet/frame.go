package comchnet

import (
	"encoding/binary"
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// version is that of the protocol.
const version = 1

// maxFrame is the length of the longest frame; a longer message is data.
const maxFrame = 6

// The first bytes of frames.
const (
	frameData = iota
	frameHello
	frameWindow
	frameEnd
	frameReset
)

// chunk returns how much of n bytes of data the next message takes.
func chunk(n, maxMessage int) int {
	if n == maxFrame {
		return maxFrame - 1
	}
	return min(n, maxMessage)
}

// pack returns the message for a chunk: in the memory of a frame if it is short, else the
// chunk itself.
func pack(frame *[maxFrame]byte, data []byte) []byte {
	if len(data) > maxFrame {
		return data
	}
	frame[0] = frameData
	return frame[:1+copy(frame[1:], data)]
}

func helloFrame(window int) []byte {
	return binary.BigEndian.AppendUint32([]byte{frameHello, version}, uint32(window))
}

func windowFrame(frame *[maxFrame]byte, window int) []byte {
	frame[0] = frameWindow
	binary.BigEndian.PutUint32(frame[1:], uint32(window))
	return frame[:5]
}

// take handles a message, which lies at the start of the receive buffer's room. It is called
// with mu held. An error ends the connection.
func (c *Conn) take(msg []byte) error {
	kind, rest := frameData, msg
	if len(msg) <= maxFrame {
		kind, rest = int(msg[0]), msg[1:]
	}
	if (kind == frameHello) == c.greeted && kind != frameReset {
		return fmt.Errorf("%w: the peer's first message is not its only HELLO: both sides must use this package", doca.ErrUnexpected)
	}
	switch {
	case kind == frameData && len(rest) > 0 && len(rest) <= c.granted && !c.peerEnded:
		n := len(rest)
		if n < len(msg) {
			copy(msg, rest)
		}
		c.granted -= n
		c.in.put(n)
		c.readable.notify()
		return nil
	case kind == frameHello && len(rest) == 5:
		if rest[0] != version {
			return fmt.Errorf("%w: the peer speaks version %d of the protocol, this side %d", doca.ErrUnsupportedVersion, rest[0], version)
		}
		c.greeted = true
		return c.takeWindow(rest[1:], 2*c.maxMessage)
	case kind == frameWindow && len(rest) == 4:
		return c.takeWindow(rest, 1)
	case kind == frameEnd && len(rest) == 0 && !c.peerEnded:
		c.peerEnded = true
		c.readable.notify()
		return nil
	case kind == frameReset && len(rest) == 1:
		return resetError(rest[0])
	}
	return fmt.Errorf("%w: the peer has sent a message of %d bytes and type %d with %d bytes in its window, ended: %t",
		doca.ErrUnexpected, len(msg), kind, c.granted, c.peerEnded)
}

// takeWindow adds what the peer grants to what may be written.
func (c *Conn) takeWindow(number []byte, least int) error {
	n := binary.BigEndian.Uint32(number)
	if int64(n) < int64(least) || int64(n)+int64(c.window) > 1<<31-1 {
		return fmt.Errorf("%w: the peer has granted a window of %d bytes", doca.ErrUnexpected, n)
	}
	c.window += int(n)
	c.writable.notify()
	return nil
}

// resetError is what a peer that has sent RESET makes of the connection.
type resetError doca.Error

func (e resetError) Error() string {
	return fmt.Sprintf("%v by the peer: %v", doca.ErrConnectionReset, doca.Error(e))
}

// Unwrap returns both what it is and why.
func (e resetError) Unwrap() []error { return []error{doca.ErrConnectionReset, doca.Error(e)} }
