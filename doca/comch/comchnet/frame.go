package comchnet

import (
	"encoding/binary"
	"math/bits"
)

// version is the version of the protocol.
const version = 1

// maxFrame is the maximum length of a frame. A longer message is data.
const maxFrame = 6

// The types of frames, their first bytes.
const (
	frameData = iota
	frameHello
	frameWindow
	frameEnd
	frameReset
	frameOpen
	frameConsumer
	frameAfter
	frameClose
)

// windowBulk is the bit of the window in HELLO that says that its sender can receive bulk data. A peer
// that does not know it takes it for one byte of the window, which it is as well.
const windowBulk = 1

// chunk returns how many of n bytes of data the next message takes.
func chunk(n, maxMessage int) int {
	if n == maxFrame {
		return maxFrame - 1
	}
	return min(n, maxMessage)
}

// pack returns the message for a chunk of data: a frame in the memory of frame if the data is
// short, else the data itself.
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

// numberFrame returns a WINDOW or AFTER in the memory of frame.
func numberFrame(frame *[maxFrame]byte, kind byte, n uint32) []byte {
	frame[0] = kind
	binary.BigEndian.PutUint32(frame[1:], n)
	return frame[:5]
}

func consumerFrame(frame *[maxFrame]byte, id uint32, size int) []byte {
	frame[0] = frameConsumer
	binary.BigEndian.PutUint32(frame[1:], id)
	frame[5] = byte(max(bits.Len(uint(size))-1, 0))
	return frame[:]
}
