package comch

import (
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// The values of a Config that names none.
const (
	DefaultMaxSendTasks  = 256
	DefaultRecvQueueSize = 256
	DefaultBacklog       = 1024
)

// Config are the options of a server or client. The zero value is good for most programs.
// What the device cannot have is [doca.ErrInvalidValue].
type Config struct {
	// Engine completes the work; nil is an engine of its own, closed with the object.
	Engine *doca.ProgressEngine

	// MaxMessageSize is the longest message, in bytes. Both sides must have the same. 0 is
	// what the device can do.
	MaxMessageSize int

	// RecvQueueSize is how many messages DOCA keeps for a receiver. 0 is
	// DefaultRecvQueueSize, or what the device can do if that is less.
	RecvQueueSize int

	// MaxSendTasks is how many messages can be on their way at once, on all connections
	// together; a server's connections share them evenly. 0 is DefaultMaxSendTasks, or what
	// the device can do if that is less.
	MaxSendTasks int

	// Backlog is how many received messages wait on each connection before the engine takes
	// no more. 0 is DefaultBacklog.
	Backlog int
}

// Limits are what a server or client was configured for.
type Limits struct {
	MaxMessageSize int // bytes
	RecvQueueSize  int // messages
	MaxSendTasks   int // messages
	Backlog        int // messages
}

// limits fills in the defaults and checks against what the device can do.
func (cfg Config) limits(c Capabilities) (Limits, error) {
	l := Limits{Backlog: cfg.Backlog}
	if l.Backlog == 0 {
		l.Backlog = DefaultBacklog
	}
	if l.Backlog < 0 {
		return l, fmt.Errorf("%w: Config.Backlog is %d", doca.ErrInvalidValue, cfg.Backlog)
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
			return l, fmt.Errorf("%w: Config.%s is %d, the device can have 1 to %d", doca.ErrInvalidValue, f.name, f.value, f.most)
		}
	}
	return l, nil
}
