package comch

import (
	"errors"
	"io"
	"strings"

	"github.com/go-doca/go-doca/doca"
)

// ErrPeerGone means that the connection has ended and this side did not end it. Test for it with
// errors.Is(err, comch.ErrPeerGone), whatever the call and whatever the side; the error itself is
// a [*PeerError], which says how the connection ended.
var ErrPeerGone = errors.New("comch: the peer is gone")

// ErrConsumerGone means that the peer's consumer has stopped that a message was for. The
// connection goes on: send to another consumer.
var ErrConsumerGone = errors.New("comch: the peer's consumer has stopped")

// ErrNoServer means that DOCA has found no server of that name for this function of the host.
var ErrNoServer = errors.New("comch: no such server")

// End says how a connection ended.
type End uint8

// The ways in which a connection ends.
const (
	EndUnknown End = iota // the peer has closed it or was killed: DOCA does not say
	EndOrderly            // the peer has closed it
	EndBroken             // the peer has disappeared without closing it
)

// String returns "unknown", "orderly" or "broken".
func (e End) String() string {
	switch e {
	case EndOrderly:
		return "orderly"
	case EndBroken:
		return "broken"
	}
	return "unknown"
}

// PeerError reports that the connection has ended and this side did not end it. errors.Is(err,
// ErrPeerGone) holds. errors.Is(err, io.EOF) holds as well if the call receives something and the
// peer has closed the connection: everything that it sent has been received then.
//
// On the server's side, DOCA says how a connection ended. On the client's it does not, so the End
// is unknown unless both sides set [Config].Farewell.
type PeerError struct {
	Op     string // the operation, such as "send"; empty where the error is the cause of another one
	Object string // the object, such as "comch client#3 (0000:b1:00.0)"
	End    End    // how the connection ended
	Err    error  // DOCA's code: ErrNotConnected, ErrConnectionReset or ErrConnectionAborted
	Advice string // what may be behind it, or what to do; may be empty

	receives bool // the operation receives
}

// Error returns all fields in one line.
func (e *PeerError) Error() string {
	var b strings.Builder
	b.WriteString("doca: " + e.Op)
	if e.Op != "" && e.Object != "" {
		b.WriteString(" on ")
	}
	b.WriteString(e.Object)
	switch e.End {
	case EndOrderly:
		b.WriteString(": the peer has closed the connection")
	case EndBroken:
		b.WriteString(": the peer has disappeared without closing the connection")
	default:
		b.WriteString(": the peer has closed the connection or has disappeared")
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Advice != "" {
		b.WriteString(": " + e.Advice)
	}
	return b.String()
}

// Is reports whether target is ErrPeerGone, or io.EOF as the type's documentation says.
func (e *PeerError) Is(target error) bool {
	return target == ErrPeerGone || target == io.EOF && e.receives && e.End == EndOrderly
}

// Unwrap returns DOCA's code.
func (e *PeerError) Unwrap() error { return e.Err }

// of returns the error for an operation on an object.
func (e *PeerError) of(op, object string, receives bool) *PeerError {
	err := *e
	err.Op, err.Object, err.receives = op, object, receives
	return &err
}

// saysEnd reports whether DOCA answers with this code when the connection of the object has ended.
func saysEnd(err error) bool {
	for _, code := range []doca.Error{doca.ErrNotConnected, doca.ErrConnectionReset, doca.ErrConnectionAborted, doca.ErrBadState} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// endCode returns err if it is a DOCA code that a PeerError may have, else ErrNotConnected.
func endCode(err error) error {
	for _, code := range []doca.Error{doca.ErrConnectionReset, doca.ErrConnectionAborted} {
		if errors.Is(err, code) {
			return code
		}
	}
	return doca.ErrNotConnected
}
