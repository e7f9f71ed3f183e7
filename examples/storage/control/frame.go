// Package control is the control plane of the storage applications: the messages by which initiator, relay and target
// agree on what they are about to do, and the channels that carry them, DOCA Comch between host and BlueField and TCP
// between BlueField and target.
//
// All numbers on the wire are big-endian. A frame may arrive in pieces, or together with others: see [Framing].
package control

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrMalformed means that a peer has sent something that is no control message.
var ErrMalformed = errors.New("storage: malformed control message")

// Framing is how a variant of the protocol says where a frame ends.
type Framing struct {
	header int // bytes that tell the size
	most   int // bytes of the longest frame
	size   func(header []byte) int
}

// The framings of the two variants of the protocol.
var (
	// Frames begin with 4 bytes: the number of bytes that follow them.
	Frames = Framing{header: 4, most: 64 << 10, size: func(b []byte) int { return 4 + int(binary.BigEndian.Uint32(b)) }}
	// OlderFrames begin with 2 bytes: the number of bytes, these included.
	OlderFrames = Framing{header: 2, most: 4 << 10, size: func(b []byte) int { return int(binary.BigEndian.Uint16(b)) }}
)

// Next returns the frame that b begins with, and what follows it. The frame is nil if it is not complete yet. It returns
// [ErrMalformed] if b begins with no frame: more bytes do not help then.
func (f Framing) Next(b []byte) (frame, rest []byte, err error) {
	if len(b) < f.header {
		return nil, b, nil
	}
	n := f.size(b)
	if n < f.header || n > f.most {
		return nil, b, fmt.Errorf("%w: a frame of %d bytes; it has %d to %d: do both sides speak the same variant of the protocol?", ErrMalformed, n, f.header, f.most)
	}
	if len(b) < n {
		return nil, b, nil
	}
	return b[:n:n], b[n:], nil
}

// reader reads the parts of a frame. After the first part that is missing, err is set and all further ones are zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.b) {
		r.err = fmt.Errorf("%w: %s needs %d bytes, %d are left", ErrMalformed, what, n, len(r.b))
		return nil
	}
	part := r.b[:n:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) u8(what string) uint8 {
	if b := r.take(1, what); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16(what string) uint16 {
	if b := r.take(2, what); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32(what string) uint32 {
	if b := r.take(4, what); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64(what string) uint64 {
	if b := r.take(8, what); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// blob reads a length and as many bytes. They are a copy.
func (r *reader) blob(what string) []byte {
	n := r.u32("the length of " + what)
	if n > 1<<20 {
		n = 1 << 20 // more than any frame has
	}
	return append([]byte(nil), r.take(int(n), what)...)
}

// end returns the error, also if something is left over.
func (r *reader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%w: %d bytes too many", ErrMalformed, len(r.b))
	}
	return r.err
}

func appendBlob(b, blob []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(blob))), blob...)
}
