package comch

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dpa"
	gen "github.com/go-doca/go-doca/generated/comch"
	gendpa "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// ConsumerCompletionConfig holds the options of a ConsumerCompletion. Thread is mandatory on the emulator; the rest is for one consumer by
// default.
type ConsumerCompletionConfig struct {
	Thread       *dpa.Thread // whom messages wake. It is closed after the completion. nil: nobody, where DOCA has completions without a thread
	MaxConsumers int         // that report to it; 0 is 1. DOCA rounds up to a power of two.
	MaxReceives  int         // messages that it can report at once, of all consumers; 0 is DefaultDPAQueue. DOCA rounds up.
	ImmDataLen   int         // bytes of the longest message, at least what its consumers have; 0 is MaxMsgQMessage
}

// ConsumerCompletion is a queue in which the consumers of a DPA report their messages to device code. The DPA owns it, and it is
// closed after its consumers and before its thread. Any goroutine may use it.
type ConsumerCompletion struct {
	*child
	e *dpaEnd[*gen.ConsumerCompletion, dpadev.ComchConsumerCompletion]
}

// NewConsumerCompletion creates a completion on a DPA and starts it.
//
// Errors: ErrInvalidValue if d is nil or for a wrong ConsumerCompletionConfig; [dpa.ErrFatal]; a [*doca.StateError] if d or the thread is
// closed. Calls doca_comch_consumer_completion_create, doca_comch_consumer_completion_set_dpa_thread,
// doca_comch_consumer_completion_set_max_num_consumers, doca_comch_consumer_completion_set_max_num_recv,
// doca_comch_consumer_completion_set_imm_data_len and doca_comch_consumer_completion_start.
func NewConsumerCompletion(d *dpa.DPA, cfg ConsumerCompletionConfig) (*ConsumerCompletion, error) {
	const op = "create consumer completion"
	if err := bind.CheckDPA(context.Background(), d, op); err != nil {
		return nil, err
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, &doca.OpError{Op: op, Object: d.String(), Err: err}
	}
	var thread *gendpa.Thread // stays: its owner closes the completion first
	owners := []bind.Owner(nil)
	if cfg.Thread != nil {
		if err := dpa.UseThread(cfg.Thread, op, func(raw *gendpa.Thread) error { thread = raw; return nil }); err != nil {
			return nil, err
		}
		owners = append(owners, cfg.Thread)
	}
	e := &dpaEnd[*gen.ConsumerCompletion, dpadev.ComchConsumerCompletion]{destroy: destroyConsumerCompletion}
	child, err := e.open(bind.ChildConfig{Kind: "consumer completion", Detail: "of " + d.String(), Parent: d, Owners: owners}, func() (err error) {
		if e.raw, err = gen.ConsumerCompletionCreate(); err != nil {
			return err
		}
		if thread != nil {
			if err := gen.ConsumerCompletionSetDPAThread(e.raw, thread); err != nil {
				return err
			}
		}
		if err := gen.ConsumerCompletionSetMaxNumConsumers(e.raw, uint32(cfg.MaxConsumers)); err != nil {
			return err
		}
		if err := gen.ConsumerCompletionSetMaxNumRecv(e.raw, uint32(cfg.MaxReceives)); err != nil {
			return err
		}
		if err := gen.ConsumerCompletionSetImmDataLen(e.raw, uint32(cfg.ImmDataLen)); err != nil {
			return err
		}
		if err := gen.ConsumerCompletionStart(nil, e.raw); err != nil {
			if thread == nil && errors.Is(err, doca.ErrInvalidValue) {
				return &doca.OpError{Op: "create", Object: e.name, Err: err, Advice: "ConsumerCompletionConfig.Thread is nil: this DOCA needs one"}
			}
			return err
		}
		e.handle, err = gen.ConsumerCompletionGetDPAHandle(e.raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &ConsumerCompletion{child, e}, nil
}

func (cfg ConsumerCompletionConfig) withDefaults() (ConsumerCompletionConfig, error) {
	for _, f := range []struct {
		v    *int
		name string
		or   int
	}{{&cfg.MaxConsumers, "MaxConsumers", 1}, {&cfg.MaxReceives, "MaxReceives", DefaultDPAQueue}} {
		if *f.v < 0 || *f.v > math.MaxInt32 {
			return cfg, fmt.Errorf("%w: ConsumerCompletionConfig.%s is %d", doca.ErrInvalidValue, f.name, *f.v)
		}
		if *f.v == 0 {
			*f.v = f.or
		}
	}
	var err error
	cfg.ImmDataLen, err = immDataLen("ConsumerCompletionConfig", cfg.ImmDataLen, MaxMsgQMessage)
	return cfg, err
}

func destroyConsumerCompletion(raw *gen.ConsumerCompletion) error {
	if err := gen.ConsumerCompletionStop(nil, raw); err != nil && !errors.Is(err, doca.ErrBadState) { // BAD_STATE: not started, or stopped by an earlier close
		return err
	}
	return gen.ConsumerCompletionDestroy(nil, raw)
}

// attach makes a consumer report to the completion.
func (c *ConsumerCompletion) attach(consumer *gen.Consumer, user uint32) error {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.e.raw == nil {
		return &doca.StateError{Object: c.e.name, State: doca.StateClosed, Op: "attach"}
	}
	return gen.ConsumerSetCompletion(consumer, c.e.raw, user)
}

// Handle returns the handle for device code, valid until Close. Errors: a [*doca.StateError] if c is closed. Calls
// doca_comch_consumer_completion_get_dpa_handle.
func (c *ConsumerCompletion) Handle() (dpadev.ComchConsumerCompletion, error) {
	if c == nil || c.e == nil {
		return 0, noConsumerCompletion("get DPA handle")
	}
	return c.e.get()
}
