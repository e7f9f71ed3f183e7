package comch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
	gendpa "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// DefaultDPAQueue is the default of DPAConsumerConfig.MaxReceives, DPAProducerConfig.MaxSends and
// ConsumerCompletionConfig.MaxReceives.
const DefaultDPAQueue = 64

// maxDPAUserData is the largest user data of completions on a DPA.
const maxDPAUserData = 1<<gendpa.CompletionLogMaxUserData - 1

// dpaEnd is the inner part of what code on a DPA uses: DOCA's object and its handle there. It never points to the outer one.
type dpaEnd[R comparable, H any] struct {
	name    string
	destroy func(R) error

	mu     sync.Mutex // guards what follows, and DOCA's object
	raw    R          // the zero value: closed, or not created
	handle H
	id     uint32
}

// open makes a place in the ownership tree, calls create, which sets raw and the rest, and takes it back if that fails.
func (e *dpaEnd[R, H]) open(cfg bind.ChildConfig, create func() error) (*child, error) {
	cfg.Close = e.close
	e.mu.Lock() // who closes an owner meanwhile waits
	c, err := bind.NewChild(cfg)
	if err != nil {
		e.mu.Unlock()
		return nil, err
	}
	e.name = c.String()
	err = create()
	e.mu.Unlock()
	if err != nil {
		return nil, errors.Join(e.fail("create", err), c.Close())
	}
	return c, nil
}

func (e *dpaEnd[R, H]) close(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var none R
	if e.raw == none {
		return nil
	}
	if err := e.destroy(e.raw); err != nil {
		return e.fail("close", err)
	}
	e.raw = none
	return nil
}

// get returns the handle for device code.
func (e *dpaEnd[R, H]) get() (h H, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var none R
	if e.raw == none {
		return h, &doca.StateError{Object: e.name, State: doca.StateClosed, Op: "get DPA handle"}
	}
	return e.handle, nil
}

func (e *dpaEnd[R, H]) fail(op string, err error) error {
	switch err.(type) {
	case nil, *doca.OpError, *doca.StateError:
		return err
	}
	return &doca.OpError{Op: op, Object: e.name, Err: err, Advice: bind.Advice(err)}
}

// startOnDPA starts a context whose data path is on a DPA. configure is called before.
func startOnDPA(d *dpa.DPA, ctx *common.Ctx, configure func() error) error {
	err := bind.UseDPA(d, "start", func(raw *common.DPA) error { return common.CtxSetDatapathOnDPA(ctx, raw) })
	if err == nil {
		err = configure()
	}
	if err != nil {
		return err
	}
	return common.CtxStart(nil, ctx)
}

// stopOnDPA stops such a context. It does nothing if an earlier close has done so.
func stopOnDPA(ctx *common.Ctx, err error) error {
	if err != nil {
		return err
	}
	if err := common.CtxStop(nil, ctx); !errors.Is(err, doca.ErrBadState) {
		return err
	}
	return nil
}

// DPAConsumerConfig holds the options of a DPAConsumer. Completion is mandatory.
type DPAConsumerConfig struct {
	Completion  *ConsumerCompletion // where messages are reported; it is closed after the consumer
	UserData    uint32              // for device code
	MaxReceives int                 // messages that it can have room for, rounded up to a power of two; 0 is DefaultDPAQueue
	ImmDataLen  int                 // bytes of the longest message; 0 is MaxMsgQMessage
}

// DPAConsumer is the end of a MsgQ at which device code receives. It has room for messages when device code has made
// it, with doca_dpa_dev_comch_consumer_ack; until then a producer's Send waits. Any goroutine may use it.
type DPAConsumer struct {
	*child
	e *dpaEnd[*gen.Consumer, dpadev.ComchConsumer]
	q *MsgQ // so that its handle lives as long as this one
}

// NewDPAConsumer creates a consumer for device code and starts it. The queue and its completion own it.
//
// Errors: ErrInvalidValue for a wrong DPAConsumerConfig; ErrNotPermitted if the queue's direction is FromDPA; ErrNoMemory or ErrFull if the
// queue has all its consumers; [dpa.ErrFatal]; a [*doca.StateError] if q or the completion is closed. Calls
// doca_comch_msgq_consumer_create, doca_ctx_set_datapath_on_dpa, doca_comch_consumer_set_completion,
// doca_comch_consumer_set_dev_max_num_recv, doca_comch_consumer_set_imm_data_len and doca_ctx_start.
func (q *MsgQ) NewDPAConsumer(cfg DPAConsumerConfig) (*DPAConsumer, error) {
	const op = "create DPA consumer"
	if err := q.usable(op, ToDPA); err != nil {
		return nil, err
	}
	if cfg.Completion == nil || cfg.Completion.e == nil {
		return nil, q.in.fail(op, doca.ErrInvalidValue, "DPAConsumerConfig.Completion is nil or a zero value: make one with NewConsumerCompletion")
	}
	receives, err := q.in.count(op, "DPAConsumerConfig.MaxReceives", cfg.MaxReceives)
	if err != nil {
		return nil, err
	}
	length, err := immDataLen("DPAConsumerConfig", cfg.ImmDataLen, MaxMsgQMessage)
	if err != nil {
		return nil, q.in.fail(op, err, "")
	}
	e := &dpaEnd[*gen.Consumer, dpadev.ComchConsumer]{destroy: destroyDPAConsumer}
	child, err := e.open(bind.ChildConfig{Kind: "DPA consumer", Detail: "of " + q.in.name, Parent: q.child, Owners: []bind.Owner{cfg.Completion.child}}, func() error {
		err := q.in.do(op, func(queue *gen.Msgq) (err error) {
			e.raw, err = gen.MsgqConsumerCreate(queue)
			return err
		})
		if err != nil {
			return err
		}
		ctx, err := gen.ConsumerAsCtx(e.raw)
		if err != nil {
			return err
		}
		err = startOnDPA(q.dpa, ctx, func() error {
			if err := cfg.Completion.attach(e.raw, cfg.UserData); err != nil {
				return err
			}
			if err := gen.ConsumerSetDevMaxNumRecv(e.raw, receives); err != nil {
				return err
			}
			return gen.ConsumerSetImmDataLen(e.raw, uint32(length))
		})
		if err != nil {
			return err
		}
		if e.id, err = gen.ConsumerGetID(e.raw); err != nil {
			return err
		}
		e.handle, err = gen.ConsumerGetDPAHandle(e.raw)
		return err
	})
	if err != nil {
		return nil, q.in.why(context.Background(), op, err)
	}
	return &DPAConsumer{child, e, q}, nil
}

func destroyDPAConsumer(raw *gen.Consumer) error {
	if err := stopOnDPA(gen.ConsumerAsCtx(raw)); err != nil {
		return err
	}
	return gen.ConsumerDestroy(nil, raw)
}

// ID returns the number by which producers address the consumer. It is unique in the queue. Calls doca_comch_consumer_get_id.
func (c *DPAConsumer) ID() uint32 {
	if c == nil || c.e == nil {
		return 0
	}
	return c.e.id
}

// Handle returns the handle for device code, valid until Close. Errors: a [*doca.StateError] if c is closed. Calls
// doca_comch_consumer_get_dpa_handle.
func (c *DPAConsumer) Handle() (dpadev.ComchConsumer, error) {
	if c == nil || c.e == nil {
		return 0, noDPAConsumer("get DPA handle")
	}
	return c.e.get()
}

// DPAProducerConfig holds the options of a DPAProducer. Completion is mandatory.
type DPAProducerConfig struct {
	Completion *dpa.Completion // where sends are reported; it is closed after the producer
	UserData   uint32          // what doca_dpa_dev_get_completion_user_data returns for these, below 1<<24
	MaxSends   int             // sends in flight, rounded up to a power of two; 0 is DefaultDPAQueue
}

// DPAProducer is the end of a MsgQ at which device code sends, to consumers of [MsgQ.NewConsumer]: their ID is the
// number of the consumer. Any goroutine may use it.
type DPAProducer struct {
	*child
	e *dpaEnd[*gen.Producer, dpadev.ComchProducer]
	q *MsgQ // so that its handle lives as long as this one
}

// NewDPAProducer creates a producer for device code and starts it. The queue and its completion own it.
//
// Errors: as [MsgQ.NewDPAConsumer], but ErrNotPermitted if the queue's direction is ToDPA. Calls doca_comch_msgq_producer_create,
// doca_ctx_set_datapath_on_dpa, doca_comch_producer_dpa_completion_attach, doca_comch_producer_set_dev_max_num_send,
// doca_ctx_set_user_data and doca_ctx_start.
func (q *MsgQ) NewDPAProducer(cfg DPAProducerConfig) (*DPAProducer, error) {
	const op = "create DPA producer"
	if err := q.usable(op, FromDPA); err != nil {
		return nil, err
	}
	if cfg.UserData > maxDPAUserData {
		return nil, q.in.fail(op, doca.ErrInvalidValue, fmt.Sprintf("DPAProducerConfig.UserData is %d, at most %d is possible", cfg.UserData, maxDPAUserData))
	}
	sends, err := q.in.count(op, "DPAProducerConfig.MaxSends", cfg.MaxSends)
	if err != nil {
		return nil, err
	}
	var completion *gendpa.Completion // stays: its owner closes the producer first
	if err := dpa.UseCompletion(cfg.Completion, op, func(raw *gendpa.Completion) error { completion = raw; return nil }); err != nil {
		return nil, err
	}
	e := &dpaEnd[*gen.Producer, dpadev.ComchProducer]{destroy: destroyDPAProducer}
	child, err := e.open(bind.ChildConfig{Kind: "DPA producer", Detail: "of " + q.in.name, Parent: q.child, Owners: []bind.Owner{cfg.Completion}}, func() error {
		err := q.in.do(op, func(queue *gen.Msgq) (err error) {
			e.raw, err = gen.MsgqProducerCreate(queue)
			return err
		})
		if err != nil {
			return err
		}
		ctx, err := gen.ProducerAsCtx(e.raw)
		if err != nil {
			return err
		}
		err = startOnDPA(q.dpa, ctx, func() error {
			if err := gen.ProducerDPACompletionAttach(e.raw, completion); err != nil {
				return err
			}
			if err := gen.ProducerSetDevMaxNumSend(e.raw, sends); err != nil {
				return err
			}
			return common.CtxSetUserData(ctx, abi.Data(cfg.UserData))
		})
		if err != nil {
			return err
		}
		if e.id, err = gen.ProducerGetID(e.raw); err != nil {
			return err
		}
		e.handle, err = gen.ProducerGetDPAHandle(e.raw)
		return err
	})
	if err != nil {
		return nil, q.in.why(context.Background(), op, err)
	}
	return &DPAProducer{child, e, q}, nil
}

func destroyDPAProducer(raw *gen.Producer) error {
	if err := stopOnDPA(gen.ProducerAsCtx(raw)); err != nil {
		return err
	}
	return gen.ProducerDestroy(nil, raw)
}

// ID returns the producer's number, which consumers get with each message: see [Received.ProducerID]. Calls
// doca_comch_producer_get_id.
func (p *DPAProducer) ID() uint32 {
	if p == nil || p.e == nil {
		return 0
	}
	return p.e.id
}

// Handle returns the handle for device code, valid until Close. Errors: a [*doca.StateError] if p is closed. Calls
// doca_comch_producer_get_dpa_handle.
func (p *DPAProducer) Handle() (dpadev.ComchProducer, error) {
	if p == nil || p.e == nil {
		return 0, noDPAProducer("get DPA handle")
	}
	return p.e.get()
}

// count fills in the default of a number of messages and checks it.
func (q *msgq) count(op, field string, n int) (uint32, error) {
	if n < 0 || n > math.MaxInt32 {
		return 0, q.fail(op, doca.ErrInvalidValue, fmt.Sprintf("%s is %d", field, n))
	}
	if n == 0 {
		n = DefaultDPAQueue
	}
	return uint32(n), nil
}
