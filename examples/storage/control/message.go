package control

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// Type is the type of a message.
type Type uint32

// The types of messages, with their numbers on the wire. The response to a request has the next number.
const (
	TypeError Type = iota
	TypeQueryStorage
	TypeQueryStorageResponse
	TypeInitStorage
	TypeInitStorageResponse
	TypeCreateRDMAConnection
	TypeCreateRDMAConnectionResponse
	TypeStartStorage
	TypeStartStorageResponse
	TypeStopStorage
	TypeStopStorageResponse
	TypeShutdown
	TypeShutdownResponse
	numTypes
)

var typeNames = [numTypes]string{
	"error response", "query storage", "query storage response", "init storage", "init storage response",
	"create RDMA connection", "create RDMA connection response", "start storage", "start storage response",
	"stop storage", "stop storage response", "shutdown", "shutdown response",
}

// String returns the type's name in words.
func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Role says what an RDMA connection is for.
type Role uint32

// The roles. IO messages take the control connection, blocks the data connection.
const (
	RoleData    Role = 0
	RoleControl Role = 1
)

// String returns "data" or "control".
func (r Role) String() string {
	switch r {
	case RoleData:
		return "data"
	case RoleControl:
		return "control"
	}
	return fmt.Sprintf("role %d", uint32(r))
}

// Message is a control message. The payload is the fields that its type has; the others are zero.
type Message struct {
	Type        Type
	ID          uint32 // of the message on this hop; a response repeats it
	Correlation uint32 // of the request that the initiator has made; each hop passes it on

	Code doca.Error // of an error response
	Text string     // of an error response

	Storage    Storage    // of a query storage response
	Init       Init       // of an init storage request
	Connection Connection // of a create RDMA connection request or response
}

// Storage describes the target's storage.
type Storage struct {
	Size      uint64 // bytes in total
	BlockSize uint32 // bytes
}

// Init says what the data path is to have.
type Init struct {
	Transactions uint32 // messages in flight on each core
	Cores        uint32
	Export       []byte // descriptor of the memory of the side that asks
}

// Connection is one end of an RDMA connection.
type Connection struct {
	Index   uint32 // of the core
	Role    Role
	Details []byte // what the peer needs to connect
}

// Append appends the frame of the message to b. It returns [ErrMalformed] if the message has no such type, or is too
// long for a frame.
func (m *Message) Append(b []byte) ([]byte, error) {
	start := len(b)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(m.Type))
	b = binary.BigEndian.AppendUint32(b, m.ID)
	b = binary.BigEndian.AppendUint32(b, m.Correlation)
	switch m.Type {
	case TypeError:
		b = appendBlob(binary.BigEndian.AppendUint32(b, uint32(m.Code)), []byte(m.Text))
	case TypeQueryStorageResponse:
		b = binary.BigEndian.AppendUint64(b, m.Storage.Size)
		b = binary.BigEndian.AppendUint32(b, m.Storage.BlockSize)
	case TypeInitStorage:
		b = binary.BigEndian.AppendUint32(b, m.Init.Transactions)
		b = binary.BigEndian.AppendUint32(b, m.Init.Cores)
		b = appendBlob(b, m.Init.Export)
	case TypeCreateRDMAConnection, TypeCreateRDMAConnectionResponse:
		b = binary.BigEndian.AppendUint32(b, m.Connection.Index)
		b = binary.BigEndian.AppendUint32(b, uint32(m.Connection.Role))
		b = appendBlob(b, m.Connection.Details)
	default:
		if m.Type >= numTypes {
			return nil, fmt.Errorf("%w: there is no message of %v", ErrMalformed, m.Type)
		}
	}
	n := len(b) - start
	if n > Frames.most {
		return nil, fmt.Errorf("%w: the %v message has %d bytes, more than %d", ErrMalformed, m.Type, n, Frames.most)
	}
	binary.BigEndian.PutUint32(b[start:], uint32(n-4))
	return b, nil
}

// Decode reads a whole frame. It keeps nothing of it. It returns [ErrMalformed] for an unknown type, and if the frame has
// more or less than its type needs.
func Decode(frame []byte) (Message, error) {
	r := reader{b: frame}
	if size := r.u32("the size"); r.err == nil && int64(size) != int64(len(frame)-4) {
		return Message{}, fmt.Errorf("%w: it says that it has %d bytes, and has %d", ErrMalformed, size, len(frame)-4)
	}
	m := Message{Type: Type(r.u32("the type")), ID: r.u32("the message id"), Correlation: r.u32("the correlation id")}
	switch m.Type {
	case TypeError:
		m.Code, m.Text = doca.Error(r.u32("the error")), string(r.blob("the text"))
	case TypeQueryStorageResponse:
		m.Storage = Storage{Size: r.u64("the size of the storage"), BlockSize: r.u32("the block size")}
	case TypeInitStorage:
		m.Init = Init{Transactions: r.u32("the number of transactions"), Cores: r.u32("the number of cores"), Export: r.blob("the export")}
	case TypeCreateRDMAConnection, TypeCreateRDMAConnectionResponse:
		m.Connection = Connection{Index: r.u32("the index"), Role: Role(r.u32("the role")), Details: r.blob("the details")}
	default:
		if m.Type >= numTypes && r.err == nil {
			return Message{}, fmt.Errorf("%w: there is no message of %v", ErrMalformed, m.Type)
		}
	}
	if err := r.end(); err != nil {
		return Message{}, fmt.Errorf("%w (%v message)", err, m.Type)
	}
	return m, nil
}

// Response returns the response to a request, without payload.
func (m *Message) Response() Message {
	return Message{Type: m.Type + 1, ID: m.ID, Correlation: m.Correlation}
}

// ErrorResponse returns the response to a request that could not be carried out.
func (m *Message) ErrorResponse(err error) Message {
	return Message{Type: TypeError, ID: m.ID, Correlation: m.Correlation, Code: CodeOf(err), Text: shorten(err.Error())}
}

// shorten makes a text fit into a Comch message.
func shorten(s string) string {
	const most = 1024
	if len(s) > most {
		return s[:most]
	}
	return s
}

// CodeOf returns DOCA's code of an error, doca.ErrUnknown if it has none.
func CodeOf(err error) doca.Error {
	var code doca.Error
	if errors.As(err, &code) {
		return code
	}
	return doca.ErrUnknown
}
