package comch

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// DefaultConsumerTasks is the number of buffers that a consumer whose config names none can
// have posted.
const DefaultConsumerTasks = 256

// ConsumerConfig are the options of a consumer. The zero value is good for most programs.
type ConsumerConfig struct {
	// Engine completes the work; nil is an engine of its own, closed with the consumer.
	Engine *doca.ProgressEngine

	// MaxTasks is how many buffers can be posted, from Post until they are returned by Recv.
	// 0 is DefaultConsumerTasks, or what the device can do if that is less.
	MaxTasks int

	// ImmDataLen is the most immediate data that a message can have, in bytes. 0 is what the
	// device can do.
	ImmDataLen int
}

// Consumer receives what the producers of the peer send to it, straight into buffers that
// were posted before. Its embedded Context stops it. It may be used from any goroutine.
type Consumer struct {
	*doca.Context
	conn *Conn // keeps its handle as long as this one
	c    *consumer
}

// consumer is the inner part, guarded by the engine's lock.
type consumer struct {
	party
	raw     *gen.Consumer
	id      uint32
	immLen  int
	posting bind.Posting

	posts    []post
	inC      postsInC
	free     ring   // posts without a buffer
	prepared bool   // the tasks are allocated
	count    uint32 // results that were written
	read     uint32 // and read
	failed   []failure
	waiting  []*taker
	idle     []*taker
}

// NewConsumer creates a consumer on the connection and starts it; the peer is then told of
// it (see [Conn.WaitConsumer]). All buffers that are posted are on mem, which must grant
// AccessPCIReadWrite and be registered with the connection's device. The connection, mem and
// the engine own it. It drives the engines of both while it waits for the start. Errors:
// ErrInvalidValue for a memory or a config that will not do, ErrNoMemory when the connection
// has as many consumers as it can have, ErrNotConnected or ErrConnectionReset when it has
// ended. Stands on doca_comch_consumer_create,
// doca_comch_consumer_task_post_recv_set_conf and doca_ctx_start.
func (c *Conn) NewConsumer(mem *doca.Memory, cfg ConsumerConfig) (*Consumer, error) {
	in := &consumer{party: party{kind: "consumer"}}
	if mem == nil {
		return nil, c.c.fail("create consumer", doca.ErrInvalidValue, "the memory is nil")
	}
	ctxCfg := in.config(c, cfg.Engine)
	ctxCfg.Memory = mem
	ctxCfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		in.begin(link, in.rouseAll)
		in.posting.Init(link, mem)
		return in.create(dev, mem, cfg)
	}
	ctxCfg.Destroy = in.destroy
	ctxCfg.Handle = in.handle
	ctxCfg.Release = in.release
	ctxCfg.Changed = in.changedState
	ctxCfg.Halt = func() { in.asked = true; in.rouseAll() }
	ctxCfg.Endless = true
	ctx, err := bind.NewContext(ctxCfg)
	if err != nil {
		return nil, err
	}
	con := &Consumer{Context: ctx, conn: c, c: in}
	if err := con.Start(context.Background()); err != nil {
		return nil, errors.Join(err, con.Close())
	}
	return con, nil
}

func (c *consumer) create(dev *common.Dev, mem *doca.Memory, cfg ConsumerConfig) (*common.Ctx, error) {
	caps, err := capabilitiesOf(dev)
	if err != nil {
		return nil, err
	}
	n, err := numTasks("ConsumerConfig.MaxTasks", cfg.MaxTasks, DefaultConsumerTasks, caps.Consumer.MaxTasks)
	if err != nil {
		return nil, err
	}
	c.immLen = cfg.ImmDataLen
	if c.immLen == 0 {
		c.immLen = int(caps.Consumer.MaxImmDataLen)
	}
	if c.immLen < 0 || uint64(c.immLen) > uint64(caps.Consumer.MaxImmDataLen) {
		return nil, fmt.Errorf("%w: ConsumerConfig.ImmDataLen is %d, the device can have up to %d", doca.ErrInvalidValue, c.immLen, caps.Consumer.MaxImmDataLen)
	}
	mmap, err := bind.RawMemory(mem)
	if err != nil {
		return nil, err
	}
	err = c.attach(func(conn *gen.Connection) (err error) {
		c.raw, err = gen.ConsumerCreate(conn, mmap)
		return err
	})
	if errors.Is(err, doca.ErrInvalidValue) || errors.Is(err, doca.ErrNotPermitted) {
		err = fmt.Errorf("%w: the memory must grant AccessPCIReadWrite", err)
	}
	if err != nil {
		return nil, err
	}
	if err := c.configure(n); err != nil {
		return nil, undo(err, c.destroy)
	}
	return gen.ConsumerAsCtx(c.raw)
}

func (c *consumer) configure(n int) (err error) {
	if err := gen.ConsumerTaskPostRecvSetConfPosted(c.raw, uint32(n)); err != nil {
		return err
	}
	if c.immLen > 0 {
		if err := gen.ConsumerSetImmDataLen(c.raw, uint32(c.immLen)); err != nil {
			return err
		}
	}
	if c.id, err = gen.ConsumerGetID(c.raw); err != nil {
		return err
	}
	c.posts = make([]post, n)
	c.free.fill(n)
	return c.inC.alloc(n, c.immLen)
}

// destroy destroys DOCA's consumer. What was received and not read goes back unread.
func (c *consumer) destroy(ring *abi.Ring) error {
	if c.raw != nil {
		if err := gen.ConsumerDestroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
		c.detach()
	}
	c.drop()
	c.inC.release()
	return nil
}

// Start starts a consumer that was stopped and waits until it runs, as [doca.Context.Start].
func (c *Consumer) Start(ctx context.Context) error {
	return c.c.starting(func() error {
		return c.conn.c.driven(ctx, func() error { return c.Context.Start(ctx) })
	})
}

// ID returns the number by which the peer's producers address the consumer: unique in its
// connection, never 0. Stands on doca_comch_consumer_get_id.
func (c *Consumer) ID() uint32 { return c.c.id }

// Conn returns the connection.
func (c *Consumer) Conn() *Conn { return c.conn }

// MaxTasks returns how many buffers can be posted.
func (c *Consumer) MaxTasks() int { return len(c.c.posts) }

// ImmDataLen returns the most immediate data that a message can have, in bytes.
func (c *Consumer) ImmDataLen() int { return c.c.immLen }

// release frees the tasks of a consumer that stops.
func (c *consumer) release() {
	for i := range c.posts {
		if p := &c.posts[i]; p.task != nil {
			common.TaskFree(p.task) // it returns nothing in C, and the function was found before
			p.task, p.aimed = nil, nil
		}
	}
	c.prepared = false
}

func (c *consumer) changedState(s doca.State) {
	c.changed(s)
	c.rouseAll()
}

// handle takes the records of one step of the engine, all of one kind.
func (c *consumer) handle(recs []abi.Record) {
	for i := range recs {
		if r := &recs[i]; r.Kind == gen.KindConsumerTaskPostRecvError {
			c.link.Finished(1)
			c.postFailed(int32(r.User), r.Status)
		}
	}
	count := c.inC.inbox[0].Count()
	c.link.Finished(int(count - c.count))
	c.count = count
	c.rouse()
}
