package comch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// DefaultConsumerTasks is the default of ConsumerConfig.MaxTasks.
const DefaultConsumerTasks = 256

// ConsumerConfig holds the options of a consumer. The zero value suits most programs.
type ConsumerConfig struct {
	// Engine completes the work. If it is nil, the consumer gets an engine of its own, which
	// is closed with it.
	Engine *doca.ProgressEngine

	// MaxTasks is the number of buffers that can be posted at once, counted from Post until
	// Recv returns them. 0 means DefaultConsumerTasks, or the device's maximum if that is
	// less, and with BufferSize as many as there are buffers.
	MaxTasks int

	// ImmDataLen is the maximum length of a message's immediate data, in bytes. 0 means the
	// device's maximum.
	ImmDataLen int

	// AutoPost posts the receive of each message again in the call that returns the message, such as RecvBatch. The program
	// then calls neither Post nor PostBatch, and the DPA has room for MaxTasks messages that the program has not received. While
	// messages come one at a time, each makes room for the next when it arrives, so that there is room for one more.
	// It is for consumers of a MsgQ, whose messages are copies. With buffers, Post says that the program is done with one.
	AutoPost bool

	// BufferSize is the size in bytes of buffers that the consumer makes for itself, when
	// NewConsumer gets no memory. It is the length of the longest message. The consumer posts
	// them when it starts, and they are closed with it.
	BufferSize int

	// Buffers is the number of these buffers: how many messages there can be that the program is
	// not done with. They have at most 1 GiB together. 0 means DefaultBuffers, or MaxTasks if that
	// is less.
	Buffers int
}

// Consumer receives what producers of the peer send to it. The device writes the data into
// buffers that the program has posted, or into those of the consumer itself. The embedded Context
// stops the consumer. Any goroutine may use it.
type Consumer struct {
	*doca.Context
	conn *Conn // so that its handle lives as long as this one; nil if it is of a MsgQ
	q    *MsgQ // the same; nil if it is of a connection
	c    *consumer
	own  *ownBuffers // nil: the program has the memory
}

// consumer is the inner part of a Consumer. The engine's lock guards it.
type consumer struct {
	endpoint
	raw     *gen.Consumer
	id      uint32
	immLen  int
	posting bind.Posting

	maxPosts int
	posts    []post // as many as were needed at once
	inC      postsInC
	free     postQueue // posts without a buffer
	prepared bool      // the tasks of all posts are allocated
	written  uint32    // results that C has written to the inbox, modulo 2³²
	read     uint32    // results that were read of those
	failed   []failedPost
	waiting  []*consumerWaiter
	idle     []*consumerWaiter
	toldEnd  atomic.Bool    // Recv has said that the peer has ended the connection
	own      bool           // the buffers are the consumer's
	immOnly  bool           // it is of a MsgQ: nil is posted alone
	autoPost bool           // what is received is posted again
	singles  uint32         // how many receives in a row have taken one message, and there was no other
	ahead    bool           // with autoPost: C has posted the task of the first message that was not read again
	toPost   []*doca.Buffer // of these, the ones to post at the next start

	_ abi.Apart
}

// NewConsumer creates a consumer on the connection and starts it. The peer then learns of it:
// see [Conn.WaitConsumer]. While NewConsumer waits for the start, it drives the engines of the
// consumer and of the connection.
//
// If mem is nil, the consumer makes buffers of cfg.BufferSize for itself and posts them; see
// [Consumer.Messages]. Otherwise the program posts buffers on mem, and on no other memory. mem must
// grant AccessPCIReadWrite and be registered with the connection's device, and cfg has no
// BufferSize.
//
// The connection, mem and the engine own the consumer: closing one of them closes it. Errors:
// ErrInvalidValue for a memory or a config that does not meet this; ErrNoMemory if the
// connection has the maximum number of consumers; ErrPeerGone if the peer has ended the connection;
// ErrTimeOut if the consumer has not started after 10 seconds; ErrAgain if DOCA has no room for the consumer's own
// buffers within a second. Calls doca_comch_consumer_create,
// doca_comch_consumer_task_post_recv_set_conf and doca_ctx_start.
func (c *Conn) NewConsumer(mem *doca.Memory, cfg ConsumerConfig) (*Consumer, error) {
	if c == nil || c.c == nil {
		return nil, noConn("create consumer")
	}
	own, err := c.buffersOf(mem, &cfg)
	if err != nil {
		return nil, err
	}
	in := &consumer{endpoint: endpoint{kind: "consumer"}}
	ctxCfg := in.config(c, cfg.Engine)
	if own != nil {
		mem, ctxCfg.Parent = own.mem, own
		in.own, in.toPost = true, own.list
	}
	con, err := in.open(ctxCfg, mem, cfg)
	if err != nil {
		return nil, errors.Join(in.createError(err), own.close())
	}
	con.conn, con.own = c, own
	if err := con.Start(context.Background()); err != nil {
		return nil, errors.Join(err, con.Close())
	}
	return con, nil
}

// open makes the context and the handle.
func (c *consumer) open(ctxCfg bind.ContextConfig, mem *doca.Memory, cfg ConsumerConfig) (*Consumer, error) {
	ctxCfg.Memory = mem
	ctxCfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		c.begin(link, c.wakeAllLocked)
		c.posting.Init(link, mem)
		return c.create(dev, mem, cfg)
	}
	ctxCfg.Destroy = c.destroy
	ctxCfg.Handle = c.handleLocked
	ctxCfg.Release = c.releaseLocked
	ctxCfg.Changed = c.changedStateLocked
	ctxCfg.Halt = func() { c.stopAsked = true; c.wakeAllLocked() }
	ctxCfg.Endless = true
	ctx, err := bind.NewContext(ctxCfg)
	if err != nil {
		return nil, err
	}
	return &Consumer{Context: ctx, c: c}, nil
}

// buffersOf makes the buffers of a consumer without a memory; nil for others. It fails if the connection has ended.
func (c *Conn) buffersOf(mem *doca.Memory, cfg *ConsumerConfig) (*ownBuffers, error) {
	fail := func(err error, advice string) error { return c.c.fail("create consumer", err, advice) }
	gone := c.c.usable("create consumer")
	switch {
	case cfg.AutoPost:
		return nil, fail(doca.ErrInvalidValue, "there is a ConsumerConfig.AutoPost: it is for a MsgQ; Consumer.Messages posts buffers again by itself")
	case mem != nil && (cfg.BufferSize != 0 || cfg.Buffers != 0):
		return nil, fail(doca.ErrInvalidValue, "there is a memory and a ConsumerConfig.BufferSize or Buffers: give one of them")
	case mem == nil && cfg.BufferSize == 0:
		return nil, fail(doca.ErrInvalidValue, "the memory is nil: give one, or set ConsumerConfig.BufferSize")
	case mem != nil || gone != nil:
		return nil, gone
	}
	own, err := c.newBuffers("consumer", "ConsumerConfig", cfg.Buffers, cfg.BufferSize, cfg.MaxTasks, doca.AccessLocalReadWrite|doca.AccessPCIReadWrite)
	if err != nil {
		return nil, fail(err, "")
	}
	if cfg.MaxTasks == 0 {
		cfg.MaxTasks = len(own.list)
	}
	return own, nil
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
	if c.immLen, err = immDataLen("ConsumerConfig", cfg.ImmDataLen, c.path.maxImm(caps.Consumer.MaxImmDataLen)); err != nil {
		return nil, err
	}
	if c.raw, err = c.path.newConsumer(&c.endpoint, mem); err != nil {
		return nil, err
	}
	if err := c.configure(n); err != nil {
		return nil, err
	}
	return gen.ConsumerAsCtx(c.raw)
}

// immDataLen fills in the default of a length of immediate data and checks it.
func immDataLen(config string, n, most int) (int, error) {
	if n == 0 {
		n = most
	}
	if n < 0 || n > most {
		return 0, fmt.Errorf("%w: %s.ImmDataLen is %d, at most %d is possible", doca.ErrInvalidValue, config, n, most)
	}
	return n, nil
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
	c.maxPosts = n
	if err := c.free.alloc(n); err != nil {
		return err
	}
	results := n
	if c.autoPost {
		results++ // C may post one again before its result is read
	}
	return c.inC.alloc(results, c.immLen)
}

// destroy destroys DOCA's consumer and gives back the buffers whose data nobody has read.
func (c *consumer) destroy(ring *abi.Ring) error {
	if c.raw != nil {
		if err := gen.ConsumerDestroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
		c.path.detach(&c.endpoint)
	}
	c.dropLocked()
	c.free.release()
	c.inC.release()
	return nil
}

// Start starts a consumer that was stopped and waits until it runs: see [doca.Context.Start]. A
// consumer with buffers of its own posts those that the program does not have, one of a MsgQ all its
// receives. If the peer has ended the connection, Start returns ErrPeerGone. If ctx can never end, it
// returns ErrTimeOut after 10 seconds. Calls doca_ctx_start.
func (c *Consumer) Start(ctx context.Context) error {
	if c == nil || c.c == nil {
		return noConsumer("start")
	}
	if err := bind.NeedContext(ctx, "start", c); err != nil {
		return err
	}
	err := c.c.starting(ctx, func(ctx context.Context) error {
		return c.c.path.drive(ctx, func() error { return c.Context.Start(ctx) })
	})
	switch {
	case err != nil:
		return err
	case c.c.immOnly:
		return c.postNone(ctx)
	case c.own != nil:
		return c.postOwn(ctx)
	}
	return nil
}

// postOwn posts the consumer's own buffers, but those that the program has.
func (c *Consumer) postOwn(ctx context.Context) error {
	in := c.c
	in.link.LockAlways()
	bufs := in.toPost
	in.toPost = nil
	in.link.Unlock()
	n, err := c.postAll(ctx, bufs)
	if err != nil {
		in.link.LockAlways()
		in.toPost = append(in.toPost, bufs[n:]...)
		in.link.Unlock()
	}
	return err
}

// postNone posts as many receives of immediate data as there can be.
func (c *Consumer) postNone(ctx context.Context) error {
	c.c.link.LockAlways()
	free := c.c.roomLocked()
	c.c.link.Unlock()
	_, err := c.postAll(ctx, make([]*doca.Buffer, free))
	return err
}

// ID returns the number by which the peer's producers address the consumer. It is unique in the
// connection and never 0. Calls doca_comch_consumer_get_id.
func (c *Consumer) ID() uint32 {
	if c == nil || c.c == nil {
		return 0
	}
	return c.c.id
}

// Conn returns the connection that the consumer receives from; nil for one of a MsgQ.
func (c *Consumer) Conn() *Conn {
	if c == nil || c.c == nil {
		return nil
	}
	return c.conn
}

// MaxTasks returns the number of buffers that can be posted at once.
func (c *Consumer) MaxTasks() int {
	if c == nil || c.c == nil {
		return 0
	}
	return c.c.maxPosts
}

// ImmDataLen returns the maximum length of a message's immediate data, in bytes.
func (c *Consumer) ImmDataLen() int {
	if c == nil || c.c == nil {
		return 0
	}
	return c.c.immLen
}

// releaseLocked frees the tasks. The consumer is stopping, and none is in flight.
func (c *consumer) releaseLocked() {
	for i := range c.posts {
		if inC := c.posts[i].inC; inC.Task != nil {
			common.TaskFree((*common.Task)(inC.Task)) // it cannot fail: it returns nothing in C, and DOCA has the function
			inC.Task, inC.Typed = nil, nil
		}
	}
	c.prepared = false
}

func (c *consumer) changedStateLocked(s doca.State) {
	c.changedLocked(s)
	c.wakeAllLocked()
}

// handleLocked handles records of one kind from a step of the engine. Results are in the inbox.
func (c *consumer) handleLocked(recs []abi.Record) {
	for i := range recs {
		if r := &recs[i]; r.Kind == gen.KindConsumerTaskPostRecvError {
			c.link.Finished(1)
			c.postFailedLocked(int32(r.User), r.Status)
		}
	}
	c.countLocked()
	c.wakeOneLocked()
}

// countLocked finds out how many results C has written.
func (c *consumer) countLocked() {
	count := c.inC.inbox[0].Count()
	if count == c.written {
		return
	}
	c.path.hear()
	if !c.ahead && c.inC.inbox[0].PostedNext() {
		c.ahead = true
		c.link.Submitted(1)
	}
	c.link.Finished(int(count - c.written))
	c.written = count
}
