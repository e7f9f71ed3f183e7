package control

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
)

// OlderType is the type of a message of the older variant.
type OlderType uint16

// The types of messages of the older variant, with their numbers on the wire.
const (
	OlderResponse OlderType = iota
	OlderConfigureDataPath
	OlderCreateRDMAConnection
	OlderCreateRDMAConnectionResponse
	OlderStartDataPathConnections
	OlderStartStorage
	OlderDestroyObjects
	numOlderTypes
)

var olderNames = [numOlderTypes]string{
	"response", "configure data path", "create RDMA connection", "create RDMA connection response",
	"start data path connections", "start storage", "destroy objects",
}

// String returns the type's name in words.
func (t OlderType) String() string {
	if t < numOlderTypes {
		return olderNames[t]
	}
	return fmt.Sprintf("type %d", uint16(t))
}

// OlderMessage is a control message of the older variant. The payload is the fields that its type has.
type OlderMessage struct {
	Type        OlderType
	Correlation uint32

	Code doca.Error // of a response; 0 for success
	Text string     // of a response

	Buffers, BufferSize, BatchSize uint32 // of a configure data path request

	Role uint8  // of a create RDMA connection request or response
	Blob []byte // export of memory, or details of a connection

	// Prefixed says that Text and Blob have their length before them, in 4 bytes. Some peers write it, and peers that
	// do not take what is left of the frame. Decoding finds out which it is; answer a peer in its own form.
	Prefixed bool
}

// maxOlder is the length that a message of the older variant may have.
const maxOlder = 1024

// Append appends the frame of the message to b. It returns [ErrMalformed] if the message has no such type or is too long.
func (m *OlderMessage) Append(b []byte) ([]byte, error) {
	start := len(b)
	b = binary.BigEndian.AppendUint16(b, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(m.Type))
	b = binary.BigEndian.AppendUint32(b, m.Correlation)
	switch m.Type {
	case OlderResponse:
		b = m.appendRest(binary.BigEndian.AppendUint32(b, uint32(m.Code)), []byte(m.Text))
	case OlderConfigureDataPath:
		for _, v := range []uint32{m.Buffers, m.BufferSize, m.BatchSize} {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		b = m.appendRest(b, m.Blob)
	case OlderCreateRDMAConnection, OlderCreateRDMAConnectionResponse:
		b = m.appendRest(append(b, m.Role), m.Blob)
	default:
		if m.Type >= numOlderTypes {
			return nil, fmt.Errorf("%w: there is no message of %v", ErrMalformed, m.Type)
		}
	}
	n := len(b) - start
	if n > maxOlder {
		return nil, fmt.Errorf("%w: the %v message has %d bytes, more than %d", ErrMalformed, m.Type, n, maxOlder)
	}
	binary.BigEndian.PutUint16(b[start:], uint16(n))
	return b, nil
}

func (m *OlderMessage) appendRest(b, rest []byte) []byte {
	if m.Prefixed {
		return appendBlob(b, rest)
	}
	return append(b, rest...)
}

// rest takes what is left of the frame, with or without its length before it.
func (m *OlderMessage) rest(r *reader) []byte {
	left := r.take(len(r.b), "the rest")
	if len(left) >= 4 && int64(binary.BigEndian.Uint32(left)) == int64(len(left)-4) {
		m.Prefixed = true
		left = left[4:]
	}
	return append([]byte(nil), left...)
}

// DecodeOlder reads a whole frame. It keeps nothing of it. It returns [ErrMalformed] for an unknown type, and if the frame
// has less than its type needs, or more.
func DecodeOlder(frame []byte) (OlderMessage, error) {
	r := reader{b: frame}
	if size := r.u16("the size"); r.err == nil && int(size) != len(frame) {
		return OlderMessage{}, fmt.Errorf("%w: it says that it has %d bytes, and has %d", ErrMalformed, size, len(frame))
	}
	m := OlderMessage{Type: OlderType(r.u16("the type")), Correlation: r.u32("the correlation id")}
	switch m.Type {
	case OlderResponse:
		m.Code = doca.Error(r.u32("the result"))
		m.Text = string(m.rest(&r))
	case OlderConfigureDataPath:
		m.Buffers, m.BufferSize, m.BatchSize = r.u32("the number of buffers"), r.u32("the size of the buffers"), r.u32("the size of a batch")
		m.Blob = m.rest(&r)
	case OlderCreateRDMAConnection, OlderCreateRDMAConnectionResponse:
		m.Role = r.u8("the role")
		m.Blob = m.rest(&r)
	default:
		if m.Type >= numOlderTypes && r.err == nil {
			return OlderMessage{}, fmt.Errorf("%w: there is no message of %v", ErrMalformed, m.Type)
		}
	}
	if err := r.end(); err != nil {
		return OlderMessage{}, fmt.Errorf("%w (%v message)", err, m.Type)
	}
	return m, nil
}

// Response returns the response to a request: err, or success if it is nil.
func (m *OlderMessage) Response(err error) OlderMessage {
	answer := OlderMessage{Type: OlderResponse, Correlation: m.Correlation, Prefixed: m.Prefixed}
	if err != nil {
		answer.Code, answer.Text = CodeOf(err), shorten(err.Error())
		answer.Text = answer.Text[:min(len(answer.Text), maxOlder/2)]
	}
	return answer
}

// OlderPeer is the other side of a channel, which takes messages of the older variant. One goroutine may use it.
type OlderPeer struct {
	*Channel
	Until   time.Time     // the latest end of requests; zero for none
	timeout time.Duration // of each request
}

// NewOlderPeer makes a peer. timeout limits each request.
func NewOlderPeer(c *Channel, timeout time.Duration) *OlderPeer {
	return &OlderPeer{Channel: c, timeout: timeout}
}

// SendMessage sends a message.
func (p *OlderPeer) SendMessage(ctx context.Context, m OlderMessage) error {
	frame, err := m.Append(nil)
	if err != nil {
		return err
	}
	return p.Send(ctx, frame)
}

// RecvMessage waits for the next message. An error is [ErrMalformed] or one of [Channel.Recv].
func (p *OlderPeer) RecvMessage(ctx context.Context) (OlderMessage, error) {
	frame, err := p.Recv(ctx)
	if err != nil {
		return OlderMessage{}, err
	}
	m, err := DecodeOlder(frame)
	if err != nil {
		return OlderMessage{}, fmt.Errorf("from %s: %w", p.Peer(), err)
	}
	return m, nil
}

// Request sends a request and waits for its response, which it returns. The errors are those of [Peer.Request].
func (p *OlderPeer) Request(ctx context.Context, m OlderMessage) (OlderMessage, error) {
	want := OlderResponse
	if m.Type == OlderCreateRDMAConnection {
		want = OlderCreateRDMAConnectionResponse
	}
	ctx, cancel := limited(ctx, p.Peer(), m.Type.String(), p.timeout, p.Until)
	defer cancel()
	if err := p.SendMessage(ctx, m); err != nil {
		return OlderMessage{}, cause(ctx, err)
	}
	answer, err := p.RecvMessage(ctx)
	switch {
	case err != nil:
		return OlderMessage{}, cause(ctx, err)
	case answer.Type == OlderResponse && answer.Code != 0:
		return OlderMessage{}, &RemoteError{Peer: p.Peer(), Code: answer.Code, Text: answer.Text}
	case answer.Type != want:
		return OlderMessage{}, fmt.Errorf("%w: %s has answered the %v request with the message %q", doca.ErrUnexpected, p.Peer(), m.Type, answer.Type)
	case answer.Correlation != m.Correlation:
		return OlderMessage{}, fmt.Errorf("%w: %s has answered the %v request %d, this is %d", doca.ErrUnexpected, p.Peer(), m.Type, answer.Correlation, m.Correlation)
	}
	return answer, nil
}
