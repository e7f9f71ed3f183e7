package comch

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// DefaultProducerTasks is the default of ProducerConfig.MaxTasks.
const DefaultProducerTasks = 128

// ProducerConfig holds the options of a producer. The zero value suits most programs.
type ProducerConfig struct {
	// Engine completes the work. If it is nil, the producer gets an engine of its own, which
	// is closed with it.
	Engine *doca.ProgressEngine

	// MaxTasks is the number of messages that can be in flight at once; further ones wait. 0
	// means DefaultProducerTasks, or the device's maximum if that is less.
	MaxTasks int

	// BufferSize is the size in bytes of buffers that the producer makes for itself, for
	// [Producer.SendBytes]: the most that this can send. 0 means that there are none.
	BufferSize int

	// Buffers is the number of these buffers: how many messages of SendBytes can be in flight at
	// once, up to MaxTasks. They have at most 1 GiB together. 0 means DefaultBuffers, or MaxTasks if that is less.
	Buffers int
}

// Producer sends data to consumers of the peer. The device writes the data into the buffers
// that they have posted. The embedded Context stops the producer. Any goroutine may use it, and
// several may share it.
type Producer struct {
	*doca.Context
	conn *Conn // so that its handle lives as long as this one; nil if it is of a MsgQ
	q    *MsgQ // the same; nil if it is of a connection
	p    *producer
	own  *ownBuffers // for SendBytes; may be nil
}

// producer is the inner part of a Producer. The engine's lock guards it.
type producer struct {
	endpoint
	raw        *gen.Producer
	id         uint32
	maxImm     int
	maxListLen int
	immOnly    bool           // it is of a MsgQ
	changes    *atomic.Uint32 // of the path

	tasks    []*common.Task
	inC      tasksInC
	prepared bool           // the tasks are allocated
	batches  []*sendBatch   // the user data of a batch is its index here
	idle     []*sendBatch   // batches that are not running
	again    error          // TrySend's error for ErrAgain, made once
	spare    []*doca.Buffer // buffers for SendBytes that no message uses; the last is taken first

	_ abi.Apart
}

// tasksInC holds what C needs of the tasks, in C memory.
type tasksInC struct {
	queue []abi.Queue // a single one
	slots []abi.Slot
	free  []*abi.Slot
}

// NewProducer creates a producer on the connection and starts it. The connection and the engine
// own it: closing either closes it. Errors: ErrInvalidValue for a config that the device does
// not support; ErrNoMemory if the connection has the maximum number of producers; ErrPeerGone if
// the peer has ended the connection. Calls
// doca_comch_producer_create, doca_comch_producer_task_send_set_conf and doca_ctx_start.
func (c *Conn) NewProducer(cfg ProducerConfig) (*Producer, error) {
	if c == nil || c.c == nil {
		return nil, noConn("create producer")
	}
	if err := c.c.usable("create producer"); err != nil {
		return nil, err
	}
	own, err := c.buffersFor(cfg)
	if err != nil {
		return nil, err
	}
	in := &producer{endpoint: endpoint{kind: "producer"}}
	ctxCfg := in.config(c, cfg.Engine)
	if own != nil {
		ctxCfg.Parent, in.spare = own, slices.Clone(own.list)
	}
	p, err := in.open(ctxCfg, cfg)
	if err != nil {
		return nil, errors.Join(in.createError(err), own.close())
	}
	p.conn, p.own = c, own
	if err := p.Start(context.Background()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// open makes the context and the handle.
func (p *producer) open(ctxCfg bind.ContextConfig, cfg ProducerConfig) (*Producer, error) {
	ctxCfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		p.begin(link, p.withdrawAllLocked)
		return p.create(dev, cfg)
	}
	ctxCfg.Destroy = p.destroy
	ctxCfg.Handle = p.handleLocked
	ctxCfg.Release = p.releaseLocked
	ctxCfg.Changed = p.changedStateLocked
	ctxCfg.Halt = func() { p.stopAsked = true; p.withdrawAllLocked() }
	ctx, err := bind.NewContext(ctxCfg)
	if err != nil {
		return nil, err
	}
	return &Producer{Context: ctx, p: p}, nil
}

// buffersFor makes the buffers for SendBytes, if the config wants them.
func (c *Conn) buffersFor(cfg ProducerConfig) (*ownBuffers, error) {
	if cfg.BufferSize == 0 && cfg.Buffers == 0 {
		return nil, nil
	}
	own, err := c.newBuffers("producer", "ProducerConfig", cfg.Buffers, cfg.BufferSize, cfg.MaxTasks, doca.AccessLocalReadWrite)
	if err != nil {
		return nil, c.c.fail("create producer", err, "")
	}
	return own, nil
}

func (p *producer) create(dev *common.Dev, cfg ProducerConfig) (*common.Ctx, error) {
	caps, err := capabilitiesOf(dev)
	if err != nil {
		return nil, err
	}
	n, err := numTasks("ProducerConfig.MaxTasks", cfg.MaxTasks, DefaultProducerTasks, caps.Producer.MaxTasks)
	if err != nil {
		return nil, err
	}
	p.maxImm, p.maxListLen = p.path.maxImm(caps.Consumer.MaxImmDataLen), int(max(1, caps.Producer.MaxListLen))
	p.changes = p.path.changes()
	if p.raw, err = p.path.newProducer(&p.endpoint); err != nil {
		return nil, err
	}
	if err := p.configure(n); err != nil {
		return nil, err
	}
	return gen.ProducerAsCtx(p.raw)
}

func (p *producer) configure(n int) (err error) {
	if err := gen.ProducerTaskSendSetConfQueued(p.raw, uint32(n)); err != nil {
		return err
	}
	if p.id, err = gen.ProducerGetID(p.raw); err != nil {
		return err
	}
	p.tasks = make([]*common.Task, n)
	return p.inC.alloc(n)
}

func (t *tasksInC) alloc(n int) (err error) {
	if t.queue, err = abi.Alloc[abi.Queue](1); err != nil {
		return err
	}
	if t.slots, err = abi.Alloc[abi.Slot](n); err != nil {
		return err
	}
	if t.free, err = abi.Alloc[*abi.Slot](n); err != nil {
		return err
	}
	return nil
}

func (p *producer) destroy(ring *abi.Ring) error {
	if p.raw != nil {
		if err := gen.ProducerDestroy(ring, p.raw); err != nil {
			return err
		}
		p.raw = nil
		p.path.detach(&p.endpoint)
	}
	if p.inC.queue != nil && ring != nil {
		ring.Forget(&p.inC.queue[0])
	}
	abi.Free(p.inC.queue)
	abi.Free(p.inC.slots)
	abi.Free(p.inC.free)
	p.inC = tasksInC{}
	for _, s := range p.batches {
		s.dropLocked()
	}
	p.batches, p.idle = nil, nil
	return nil
}

// Start starts a producer that was stopped: see [doca.Context.Start]. If the peer has ended the
// connection, it returns ErrPeerGone. If ctx can never end, Start returns ErrTimeOut after 10
// seconds. Calls doca_ctx_start.
func (p *Producer) Start(ctx context.Context) error {
	if p == nil || p.p == nil {
		return noProducer("start")
	}
	if err := bind.NeedContext(ctx, "start", p); err != nil {
		return err
	}
	return p.p.starting(ctx, p.Context.Start)
}

// ID returns the producer's number, which the peer's consumers get with each message (see
// [Received.ProducerID]). Calls doca_comch_producer_get_id.
func (p *Producer) ID() uint32 {
	if p == nil || p.p == nil {
		return 0
	}
	return p.p.id
}

// Conn returns the connection that the producer sends on; nil for one of a MsgQ.
func (p *Producer) Conn() *Conn {
	if p == nil || p.p == nil {
		return nil
	}
	return p.conn
}

// MaxTasks returns the number of messages that can be in flight at once.
func (p *Producer) MaxTasks() int {
	if p == nil || p.p == nil {
		return 0
	}
	return len(p.p.tasks)
}

// prepareLocked allocates the tasks and hands them to the queue in C.
func (p *producer) prepareLocked() error {
	user, err := common.CtxGetUserData(p.link.Raw())
	if err != nil {
		return p.fail("send", err, "")
	}
	p.inC.queue[0].Ctx = user
	for i := range p.tasks {
		inC := &p.inC.slots[i]
		if p.tasks[i] == nil {
			typed, err := gen.ProducerTaskSendAllocInit(p.raw, nil, abi.CSlice[byte]{}, 0)
			if err == nil {
				p.tasks[i], err = gen.ProducerTaskSendAsTask(typed)
			}
			if err == nil {
				err = common.TaskSetUserData(p.tasks[i], inC.Data())
			}
			if err != nil {
				return p.suspectLocked("send", err, "DOCA gave no task")
			}
			inC.Task, inC.Typed = unsafe.Pointer(p.tasks[i]), unsafe.Pointer(typed)
		}
		p.inC.free[i] = inC
	}
	p.inC.queue[0].Fill(p.inC.free)
	p.prepared = true
	return nil
}

// releaseLocked frees the tasks. The producer is stopping, and none is in flight.
func (p *producer) releaseLocked() {
	for i, task := range p.tasks {
		if task != nil {
			common.TaskFree(task) // it cannot fail: it returns nothing in C, and DOCA has the function
			p.tasks[i] = nil
		}
	}
	p.prepared = false
}

func (p *producer) changedStateLocked(s doca.State) {
	p.changedLocked(s)
	if s == doca.StateStopping || s == doca.StateIdle {
		p.withdrawAllLocked()
	}
}

// handleLocked handles records of one kind from a step of the engine.
func (p *producer) handleLocked(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		s := p.batches[r.User]
		if r.Kind == gen.KindProducerTaskSendError {
			item := int(r.Args[2])
			s.failedLocked(item, p.sendErrorLocked(r.Status, s.items[item].ConsumerID, s.changes))
		}
		if r.Args[0] == 0 {
			s.endLocked()
		} else if s.future != nil && !s.batch[0].Waits() {
			s.future.acceptLocked()
		}
	}
}

// withdrawAllLocked withdraws what waits to be submitted: the producer stops.
func (p *producer) withdrawAllLocked() {
	for _, s := range p.batches {
		if !s.running {
			continue
		}
		cause := p.usableLocked("send")
		if cause == nil { // the context is about to be asked to stop
			cause = &doca.StateError{Object: p.link.String(), State: doca.StateStopping, Need: []doca.State{doca.StateRunning}, Op: "send"}
		}
		s.withdrawLocked(cause)
	}
}
