package rdma

import (
	"errors"
	"strings"

	"github.com/go-doca/go-doca/doca"
)

// ErrPeerGone means that the connection has ended and this side did not end it. Test for it with
// errors.Is(err, rdma.ErrPeerGone), whatever the call; the error itself is a [*PeerError].
var ErrPeerGone = errors.New("rdma: the peer is gone")

// ErrRejected means that the peer has refused a request of [RDMA.Dial], that its context has all its
// connections (Config.MaxConnections), or that nobody listens there.
var ErrRejected = errors.New("rdma: the peer has refused the connection")

// PeerError reports that the connection has ended and this side did not end it. errors.Is(err,
// ErrPeerGone) holds. DOCA does not say whether the peer has closed the connection or has
// disappeared.
type PeerError struct {
	Op     string // the operation, such as "write"
	Object string // the connection, such as "rdma connection#5 (of rdma#3 (0000:03:00.0))"
	Err    error  // DOCA's code: ErrNotConnected, ErrConnectionReset, ErrConnectionAborted or ErrIOFailed
	Advice string // what to do; may be empty
}

// Error returns all fields in one line.
func (e *PeerError) Error() string {
	var b strings.Builder
	b.WriteString("doca: " + e.Op)
	if e.Object != "" {
		b.WriteString(" on " + e.Object)
	}
	b.WriteString(": the peer has closed the connection or has disappeared")
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Advice != "" {
		b.WriteString(": " + e.Advice)
	}
	return b.String()
}

// Is reports whether target is ErrPeerGone.
func (e *PeerError) Is(target error) bool { return target == ErrPeerGone }

// Unwrap returns DOCA's code.
func (e *PeerError) Unwrap() error { return e.Err }

// of returns the error for an operation on an object.
func (e *PeerError) of(op, object string) *PeerError {
	err := *e
	err.Op, err.Object = op, object
	return &err
}

// saysGone reports whether a code says that the peer is gone.
func saysGone(err error) bool {
	return errors.Is(err, doca.ErrNotConnected) || errors.Is(err, doca.ErrConnectionReset) || errors.Is(err, doca.ErrConnectionAborted)
}
