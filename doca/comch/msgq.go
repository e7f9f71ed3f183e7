package comch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dpa"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// MaxMsgQMessage is the length of the longest message of a MsgQ, in bytes.
const MaxMsgQMessage = 32

// Direction says which way the messages of a MsgQ go.
type Direction uint8

// The directions.
const (
	ToDPA   Direction = 1 + iota // from this process to code on the DPA
	FromDPA                      // from code on the DPA to this process
)

// String returns "to DPA" or "from DPA".
func (d Direction) String() string {
	switch d {
	case ToDPA:
		return "to DPA"
	case FromDPA:
		return "from DPA"
	}
	return fmt.Sprintf("Direction(%d)", uint8(d))
}

// MsgQConfig holds the options of a MsgQ. Direction is mandatory.
type MsgQConfig struct {
	Direction    Direction
	MaxConsumers int // that the queue can have at once; 0 leaves it to DOCA
	MaxProducers int // the same
}

// MsgQ carries messages of up to MaxMsgQMessage bytes between this process and code on a DPA, in one direction: for both there
// are two. It needs no server, client or connection. On the side of this process it has consumers or producers as a
// connection does, for immediate data alone; on the DPA's they are of [DPAConsumer] and [DPAProducer], which device code uses by
// their handles. The DPA owns it, and it owns them. Any goroutine may use it.
type MsgQ struct {
	*child
	in  *msgq
	dpa *dpa.DPA // so that its handle lives as long as this one
	cfg MsgQConfig
}

type child = bind.Child

// NewMsgQ creates a queue on the device of a DPA and starts it.
//
// Errors: ErrInvalidValue if d is nil or for a wrong MsgQConfig; ErrNotSupported if the device has no such queues; [dpa.ErrFatal]; a
// [*doca.StateError] if d is closed. Calls doca_comch_msgq_create, doca_comch_msgq_set_dpa_consumer or
// doca_comch_msgq_set_dpa_producer, doca_comch_msgq_set_max_num_consumers, doca_comch_msgq_set_max_num_producers and
// doca_comch_msgq_start.
func NewMsgQ(d *dpa.DPA, cfg MsgQConfig) (*MsgQ, error) {
	const op = "create msgq"
	check, err := bind.DPACheck(d, op)
	if err != nil {
		return nil, err
	}
	if err := cfg.check(op, d); err != nil {
		return nil, err
	}
	in := &msgq{check: check}
	in.mu.Lock() // who closes an owner meanwhile waits
	child, err := bind.NewChild(bind.ChildConfig{Kind: "msgq", Detail: cfg.Direction.String() + ", of " + d.String(), Parent: d, Close: in.close})
	if err != nil {
		in.mu.Unlock()
		return nil, err
	}
	in.name = child.String()
	err = in.createLocked(d, cfg)
	in.mu.Unlock()
	if err != nil {
		return nil, errors.Join(in.fail("create", err, ""), child.Close())
	}
	return &MsgQ{child: child, in: in, dpa: d, cfg: cfg}, nil
}

func (cfg MsgQConfig) check(op string, d *dpa.DPA) error {
	advice := ""
	switch {
	case cfg.Direction != ToDPA && cfg.Direction != FromDPA:
		advice = "MsgQConfig.Direction must be ToDPA or FromDPA"
	case cfg.MaxConsumers < 0 || cfg.MaxConsumers > math.MaxInt32:
		advice = fmt.Sprintf("MsgQConfig.MaxConsumers is %d", cfg.MaxConsumers)
	case cfg.MaxProducers < 0 || cfg.MaxProducers > math.MaxInt32:
		advice = fmt.Sprintf("MsgQConfig.MaxProducers is %d", cfg.MaxProducers)
	default:
		return nil
	}
	return &doca.OpError{Op: op, Object: d.String(), Err: doca.ErrInvalidValue, Advice: advice}
}

// createLocked creates and starts DOCA's queue. If that fails, what there is of it is left to close.
func (q *msgq) createLocked(d *dpa.DPA, cfg MsgQConfig) error {
	dev, err := bind.RawDevice(d.Device())
	if err != nil {
		return err
	}
	return bind.UseDPA(d, "create msgq", func(rawDPA *common.DPA) error {
		if q.raw, err = gen.MsgqCreate(dev); err != nil {
			return err
		}
		return startMsgQ(q.raw, rawDPA, cfg)
	})
}

func startMsgQ(raw *gen.Msgq, d *common.DPA, cfg MsgQConfig) error {
	aim := gen.MsgqSetDPAConsumer
	if cfg.Direction == FromDPA {
		aim = gen.MsgqSetDPAProducer
	}
	if err := aim(raw, d); err != nil {
		return err
	}
	if n := cfg.MaxConsumers; n > 0 {
		if err := gen.MsgqSetMaxNumConsumers(raw, uint32(n)); err != nil {
			return err
		}
	}
	if n := cfg.MaxProducers; n > 0 {
		if err := gen.MsgqSetMaxNumProducers(raw, uint32(n)); err != nil {
			return err
		}
	}
	return gen.MsgqStart(nil, raw)
}

// Direction returns which way the messages go.
func (q *MsgQ) Direction() Direction {
	if q == nil {
		return 0
	}
	return q.cfg.Direction
}

// DPA returns the DPA of the queue; nil for a queue that is nil.
func (q *MsgQ) DPA() *dpa.DPA {
	if q == nil {
		return nil
	}
	return q.dpa
}

// NewConsumer creates a consumer in this process for what code on the DPA sends, and starts it. It receives immediate data alone:
// cfg has no buffers, and Received.Buffer is always nil. The consumer posts receives for MaxTasks messages when it starts. Each
// message that Recv returns leaves a place free, which Post(nil) fills again; [Consumer.Messages] does so by itself, and so does every
// receive with cfg.AutoPost. The queue
// and the engine own the consumer. When the DPA has a fatal error, calls return an error that is [dpa.ErrFatal].
//
// Errors: ErrInvalidValue for a wrong config; ErrNotPermitted if the queue's direction is ToDPA; ErrNoMemory or ErrFull if the queue
// has all its consumers; ErrAgain if DOCA has no room for the receives within a second; [dpa.ErrFatal]; a [*doca.StateError] if q
// is closed. Calls doca_comch_msgq_consumer_create,
// doca_comch_consumer_task_post_recv_set_conf and doca_ctx_start.
func (q *MsgQ) NewConsumer(cfg ConsumerConfig) (*Consumer, error) {
	const op = "create consumer"
	if err := q.usable(op, FromDPA); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(q)
	if cfg.BufferSize != 0 || cfg.Buffers != 0 {
		return nil, q.in.fail(op, doca.ErrInvalidValue, "there is a ConsumerConfig.BufferSize or Buffers: "+immOnlyAdvice)
	}
	in := &consumer{endpoint: endpoint{kind: "consumer"}, immOnly: true, autoPost: cfg.AutoPost}
	c, err := in.open(in.configOn(q.in, q.dpa.Device(), q.child, cfg.Engine), nil, cfg)
	if err != nil {
		return nil, q.in.why(context.Background(), op, err)
	}
	c.q = q
	if err := c.Start(context.Background()); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// NewProducer creates a producer in this process for messages to code on the DPA, and starts it. It sends immediate data alone, of at
// most MaxMsgQMessage bytes, to consumers of [MsgQ.NewDPAConsumer]: their ID is the number of the consumer. The queue and the
// engine own the producer. When the DPA has a fatal error, calls return an error that is [dpa.ErrFatal].
//
// Errors: as [MsgQ.NewConsumer], but ErrNotPermitted if the direction is FromDPA. Calls doca_comch_msgq_producer_create,
// doca_comch_producer_task_send_set_conf and doca_ctx_start.
func (q *MsgQ) NewProducer(cfg ProducerConfig) (*Producer, error) {
	const op = "create producer"
	if err := q.usable(op, ToDPA); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(q)
	if cfg.BufferSize != 0 || cfg.Buffers != 0 {
		return nil, q.in.fail(op, doca.ErrInvalidValue, "there is a ProducerConfig.BufferSize or Buffers: "+immOnlyAdvice)
	}
	in := &producer{endpoint: endpoint{kind: "producer"}, immOnly: true}
	p, err := in.open(in.configOn(q.in, q.dpa.Device(), q.child, cfg.Engine), cfg)
	if err != nil {
		return nil, q.in.why(context.Background(), op, err)
	}
	p.q = q
	if err := p.Start(context.Background()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// usable returns an error if this process has no end of this kind in the queue.
func (q *MsgQ) usable(op string, want Direction) error {
	if q == nil || q.in == nil {
		return noMsgQ(op)
	}
	if q.cfg.Direction != want {
		return q.in.fail(op, doca.ErrNotPermitted, fmt.Sprintf("the queue's direction is %v: it needs one with direction %v", q.cfg.Direction, want))
	}
	return nil
}

// Close closes the queue and what belongs to it. Closing a closed one is no error. If Close returns an error, the queue stays open: call
// Close again. Calls doca_comch_msgq_stop and doca_comch_msgq_destroy.
func (q *MsgQ) Close() error { return q.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (q *MsgQ) Shutdown(ctx context.Context) error {
	if q == nil || q.in == nil {
		return noMsgQ("close")
	}
	return q.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (q *MsgQ) String() string {
	if q == nil || q.in == nil {
		return "no msgq"
	}
	return q.in.name
}
