// Package iomsg is the message of the storage applications' data plane: 64 bytes that ask for the transfer of blocks, and
// that come back as the result. It works on the bytes in place, so that no message is copied and nothing is allocated.
package iomsg

import (
	"encoding/binary"
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// Size is the length of a message, in bytes.
const Size = 64

// Type is the type of a message.
type Type uint32

// The types. Stop is of the older variant: it ends the threads that it passes.
const (
	Result Type = 0
	Read   Type = 1 // from the storage into the initiator's memory
	Write  Type = 2 // from the initiator's memory to the storage
	Stop   Type = 3
)

// String returns "result", "read", "write" or "stop".
func (t Type) String() string {
	switch t {
	case Result:
		return "result"
	case Read:
		return "read"
	case Write:
		return "write"
	case Stop:
		return "stop"
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Where the fields are. All are big-endian. What is not listed is unused.
const (
	atType        = 0  // 4 bytes
	atCorrelation = 4  // 4 bytes, in the older variant
	atUser        = 8  // 8 bytes
	atCode        = 16 // 4 bytes
	atSize        = 20 // 4 bytes
	atRequester   = 24 // 8 bytes
	atStorage     = 32 // 8 bytes
)

// Message is the bytes of a message. It has [Size] bytes; methods panic if it is shorter.
type Message []byte

// Type returns the type.
func (m Message) Type() Type { return Type(binary.BigEndian.Uint32(m[atType:])) }

// SetType changes the type.
func (m Message) SetType(t Type) { binary.BigEndian.PutUint32(m[atType:], uint32(t)) }

// Correlation returns the correlation id of the older variant.
func (m Message) Correlation() uint32 { return binary.BigEndian.Uint32(m[atCorrelation:]) }

// SetCorrelation changes the correlation id of the older variant.
func (m Message) SetCorrelation(id uint32) { binary.BigEndian.PutUint32(m[atCorrelation:], id) }

// User returns the initiator's user data, which the result repeats.
func (m Message) User() uint64 { return binary.BigEndian.Uint64(m[atUser:]) }

// SetUser changes the user data.
func (m Message) SetUser(v uint64) { binary.BigEndian.PutUint64(m[atUser:], v) }

// Code returns DOCA's code of a result, 0 for success.
func (m Message) Code() doca.Error { return doca.Error(binary.BigEndian.Uint32(m[atCode:])) }

// SetResult makes the message a result.
func (m Message) SetResult(code doca.Error) {
	m.SetType(Result)
	binary.BigEndian.PutUint32(m[atCode:], uint32(code))
}

// Len returns the number of bytes to transfer.
func (m Message) Len() uint32 { return binary.BigEndian.Uint32(m[atSize:]) }

// Requester returns where the bytes are in the initiator's memory, counted from its start.
func (m Message) Requester() uint64 { return binary.BigEndian.Uint64(m[atRequester:]) }

// Storage returns where the bytes are in the storage, counted from its start.
func (m Message) Storage() uint64 { return binary.BigEndian.Uint64(m[atStorage:]) }

// SetRequest makes the message a request for n bytes. The user data stays.
func (m Message) SetRequest(t Type, requester, storage uint64, n uint32) {
	m.SetType(t)
	binary.BigEndian.PutUint32(m[atCode:], 0)
	binary.BigEndian.PutUint32(m[atSize:], n)
	binary.BigEndian.PutUint64(m[atRequester:], requester)
	binary.BigEndian.PutUint64(m[atStorage:], storage)
}
