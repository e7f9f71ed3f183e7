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

// resetError is what a peer that has sent RESET makes of the connection.
type resetError doca.Error

func (e resetError) Error() string {
	return fmt.Sprintf("%v by the peer: %v", doca.ErrConnectionReset, doca.Error(e))
}

// Unwrap returns both what it is and why.
func (e resetError) Unwrap() []error { return []error{doca.ErrConnectionReset, doca.Error(e)} }
