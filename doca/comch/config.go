package comch

import (
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// The defaults of the fields of a Config.
const (
	DefaultMaxSendTasks  = 256
	DefaultRecvQueueSize = 256
	DefaultBacklog       = 1024
)

// Config holds the options of a server or client. The zero value suits most programs. Listen
// and Dial return [doca.ErrInvalidValue] for a value that the device does not support.
type Config struct {
	// Engine completes the work. If it is nil, the server or client gets an engine of its
	// own, which is closed with it.
	Engine *doca.ProgressEngine

	// MaxMessageSize is the length of the longest message, in bytes. It must be the same on
	// both sides. 0 means the largest size that the device supports.
	MaxMessageSize int

	// RecvQueueSize is the number of messages that DOCA queues for a receiver. 0 means
	// DefaultRecvQueueSize, or the device's maximum if that is less.
	RecvQueueSize int

	// MaxSendTasks is the number of messages that can be in flight at once, on all
	// connections together. The connections of a server share them evenly. 0 means
	// DefaultMaxSendTasks, or the device's maximum if that is less.
	MaxSendTasks int

	// Backlog is the number of received messages that a connection queues before the engine
	// receives no more. 0 means DefaultBacklog.
	Backlog int

	// Farewell makes each side tell the other when it closes the connection, so that the other
	// knows that it has everything: Recv returns io.EOF. Without it, a client cannot know whether
	// its server has closed the connection or was killed (see [PeerError]). The side that closes
	// sends a last message, which the other one takes out. So both sides must be Go programs that
	// set it: a C program would receive that message, and a side whose peer does not set it takes
	// every end for a broken one. MaxMessageSize must be at least 17.
	Farewell bool

	// Names lets both sides find consumers and producers of the other by name: see
	// [Consumer.Announce]. Names travel in messages, which the other side takes out. So both sides
	// must be Go programs that set it: a C program would receive those messages.
	Names bool
}

// Limits holds the configuration of a server or client, with the defaults filled in.
type Limits struct {
	MaxMessageSize int // bytes
	RecvQueueSize  int // messages
	MaxSendTasks   int // messages
	Backlog        int // messages
}

// limits fills in the defaults and checks the result against the capabilities of the device.
func (cfg Config) limits(c Capabilities) (Limits, error) {
	l := Limits{Backlog: cfg.Backlog}
	if l.Backlog == 0 {
		l.Backlog = DefaultBacklog
	}
	if l.Backlog < 0 {
		return l, fmt.Errorf("%w: Config.Backlog is %d, it must not be negative", doca.ErrInvalidValue, cfg.Backlog)
	}
	for _, f := range []struct {
		name         string
		to           *int
		value, usual int
		most         uint32
	}{
		{"MaxMessageSize", &l.MaxMessageSize, cfg.MaxMessageSize, int(c.MaxMessageSize), c.MaxMessageSize},
		{"RecvQueueSize", &l.RecvQueueSize, cfg.RecvQueueSize, DefaultRecvQueueSize, c.MaxRecvQueueSize},
		{"MaxSendTasks", &l.MaxSendTasks, cfg.MaxSendTasks, DefaultMaxSendTasks, c.MaxSendTasks},
	} {
		*f.to = f.value
		if f.value == 0 {
			*f.to = min(f.usual, int(f.most))
		}
		if *f.to < 1 || uint64(*f.to) > uint64(f.most) {
			return l, fmt.Errorf("%w: Config.%s is %d, the device supports 1 to %d", doca.ErrInvalidValue, f.name, f.value, f.most)
		}
	}
	if cfg.Farewell && l.MaxMessageSize < len(farewell) {
		return l, fmt.Errorf("%w: Config.MaxMessageSize is %d, Config.Farewell needs at least %d", doca.ErrInvalidValue, l.MaxMessageSize, len(farewell))
	}
	return l, nil
}
