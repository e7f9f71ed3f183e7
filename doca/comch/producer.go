package comch

import (
	"context"
	"errors"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// DefaultProducerTasks is the number of sends of a producer whose config names none that can
// be in flight.
const DefaultProducerTasks = 128

// ProducerConfig are the options of a producer. The zero value is good for most programs.
type ProducerConfig struct {
	// Engine completes the work; nil is an engine of its own, closed with the producer.
	Engine *doca.ProgressEngine

	// MaxTasks is how many messages can be in flight at once; those beyond it wait. 0 is
	// DefaultProducerTasks, or what the device can do if that is less.
	MaxTasks int
}

// Producer sends data to consumers of the peer, straight into the buffers that they have
// posted. Its embedded Context stops it. It may be used from any goroutine.
type Producer struct {
	*doca.Context
	conn *Conn // keeps its handle as long as this one
	p    *producer
}

// producer is the inner part, guarded by the engine's lock.
type producer struct {
	party
	raw        *gen.Producer
	id         uint32
	maxImm     int
	maxListLen int

	tasks    []*common.Task
	inC      tasksInC
	prepared bool    // the tasks are allocated
	sends    []*send // a send's place is the user data of its batch
	idle     []*send // not running
	again    error   // what TrySend returns again and again
}

// tasksInC is what C needs to know of the tasks, in its own memory.
type tasksInC struct {
	queue []abi.Queue // one
	slots []abi.Slot
	free  []*abi.Slot
}

// NewProducer creates a producer on the connection and starts it. The connection and the
// engine own it. Errors: ErrInvalidValue for a config that will not do, ErrNoMemory when the
// connection has as many producers as it can have, ErrNotConnected or ErrConnectionReset when
// it has ended. Stands on doca_comch_producer_create, doca_comch_producer_task_send_set_conf
// and doca_ctx_start.
func (c *Conn) NewProducer(cfg ProducerConfig) (*Producer, error) {
	in := &producer{party: party{kind: "producer"}}
	ctxCfg := in.config(c, cfg.Engine)
	ctxCfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		in.begin(link, in.withdrawAll)
		return in.create(dev, cfg)
	}
	ctxCfg.Destroy = in.destroy
	ctxCfg.Handle = in.handle
	ctxCfg.Release = in.release
	ctxCfg.Changed = in.changedState
	ctxCfg.Halt = func() { in.asked = true; in.withdrawAll() }
	ctx, err := bind.NewContext(ctxCfg)
	if err != nil {
		return nil, err
	}
	p := &Producer{Context: ctx, conn: c, p: in}
	if err := p.Start(context.Background()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
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
	p.maxImm, p.maxListLen = int(caps.Consumer.MaxImmDataLen), int(max(1, caps.Producer.MaxListLen))
	err = p.attach(func(conn *gen.Connection) (err error) {
		p.raw, err = gen.ProducerCreate(conn)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := p.configure(n); err != nil {
		return nil, undo(err, p.destroy)
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
		p.detach()
	}
	if p.inC.queue != nil && ring != nil {
		ring.Forget(&p.inC.queue[0])
	}
	abi.Free(p.inC.queue)
	abi.Free(p.inC.slots)
	abi.Free(p.inC.free)
	p.inC = tasksInC{}
	for _, s := range p.sends {
		s.drop()
	}
	p.sends, p.idle = nil, nil
	return nil
}

// Start starts a producer that was stopped, as [doca.Context.Start].
func (p *Producer) Start(ctx context.Context) error {
	return p.p.starting(func() error { return p.Context.Start(ctx) })
}

// ID returns the number by which the peer's consumers know the producer (see
// [Received.ProducerID]). Stands on doca_comch_producer_get_id.
func (p *Producer) ID() uint32 { return p.p.id }

// Conn returns the connection.
func (p *Producer) Conn() *Conn { return p.conn }

// MaxTasks returns how many messages can be in flight at once.
func (p *Producer) MaxTasks() int { return len(p.p.tasks) }

// prepare allocates the tasks and hands them to the queue.
func (p *producer) prepare() error {
	user, err := common.CtxGetUserData(p.link.Raw())
	if err != nil {
		return p.fail("send", err, "")
	}
	p.inC.queue[0].Ctx = user
	for i := range p.tasks {
		inC := &p.inC.slots[i]
		if p.tasks[i] == nil {
			typed, err := gen.ProducerTaskSendAllocInit(p.raw, nil, nil, 0, 0)
			if err == nil {
				p.tasks[i], err = gen.ProducerTaskSendAsTask(typed)
			}
			if err == nil {
				err = common.TaskSetUserData(p.tasks[i], inC.Data())
			}
			if err != nil {
				return p.fail("send", err, "no task to be had")
			}
			inC.Task, inC.Typed = unsafe.Pointer(p.tasks[i]), unsafe.Pointer(typed)
		}
		p.inC.free[i] = inC
	}
	p.inC.queue[0].Fill(p.inC.free)
	p.prepared = true
	return nil
}

// release frees the tasks of a producer that stops.
func (p *producer) release() {
	for i, task := range p.tasks {
		if task != nil {
			common.TaskFree(task) // it returns nothing in C, and the function was found before
			p.tasks[i] = nil
		}
	}
	p.prepared = false
}

func (p *producer) changedState(s doca.State) {
	p.changed(s)
	if s == doca.StateStopping || s == doca.StateIdle {
		p.withdrawAll()
	}
}
