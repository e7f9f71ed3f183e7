// Package comch sends messages and data between a host and its DPU: DOCA Comch.
//
// A server runs on the DPU, for one representor and under a name: [Listen] starts it and
// [Server.Accept] returns the connections of the host function's programs, which make them
// with [Dial]. Either side may come first: Dial tries for as long as DOCA does.
//
// # Messages
//
// A [Conn] carries messages of up to [Conn.MaxMessageSize] bytes, complete and in order:
// [Conn.Send], [Conn.Recv] and [Conn.RecvInto].
//
// Both directions have back-pressure. Received messages wait in a queue of the connection's;
// when Config.Backlog of them wait, the engine takes no more, so that first DOCA's own
// receive queue fills and then the sender has to wait. All connections of a server share one
// engine: one that is not read holds the others up, and so it does everything else on an
// engine that Config names. So read each of them, or give Config a large Backlog, or close
// those that are not wanted.
//
// # Data
//
// A [Consumer] posts buffers, and a [Producer] of the other side writes into them: up to 1
// GiB at a time, without a copy. Both belong to a connection, which may have many, and either
// side may have both. Each has an engine of its own unless its config names one, and then needs
// nothing of the others. [Producer.Send] waits until the consumer has posted a buffer;
// [Producer.SendBatch], [Consumer.RecvBatch] and [Consumer.PostBatch] take many messages with one
// call into DOCA.
//
// A buffer that is posted is the consumer's until [Consumer.Recv] returns it, or the consumer
// stops. Until then its Close fails with [doca.ErrInUse].
//
// # The end of a connection
//
// Close on either side ends it. What was sent before still arrives; then Recv returns io.EOF.
// A peer that is gone without a word, such as a process that was killed, gives
// [doca.ErrConnectionReset] where DOCA tells the difference. [Conn.Done] and [Conn.Err] tell
// of the end without reading.
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
