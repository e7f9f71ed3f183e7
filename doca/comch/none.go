package comch

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
)

// Errors for the methods of nil and of zero values.

func noConn(op string) error        { return none(op, "connection", "Dial or Server.Accept") }
func noServer(op string) error      { return none(op, "server", "Listen") }
func noConsumer(op string) error    { return none(op, "consumer", "Conn.NewConsumer or MsgQ.NewConsumer") }
func noProducer(op string) error    { return none(op, "producer", "Conn.NewProducer or MsgQ.NewProducer") }
func noMsgQ(op string) error        { return none(op, "msgq", "NewMsgQ") }
func noDPAConsumer(op string) error { return none(op, "DPA consumer", "MsgQ.NewDPAConsumer") }
func noDPAProducer(op string) error { return none(op, "DPA producer", "MsgQ.NewDPAProducer") }
func noFuture(op string) error      { return none(op, "future", "Producer.SendAsync") }

func noConsumerCompletion(op string) error {
	return none(op, "consumer completion", "NewConsumerCompletion")
}

func none(op, kind, maker string) error {
	return &doca.OpError{Op: op, Object: kind, Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with " + maker}
}

// context returns the embedded context; nil for nil.
func (c *Consumer) context() *doca.Context {
	if c == nil {
		return nil
	}
	return c.Context
}

// The methods of the embedded context, which nil would not have.

// Close is as [doca.Context.Close]. It also closes the consumer's own buffers. If DOCA has not stopped the consumer after
// 30 seconds, Close returns ErrTimeOut and can be called again.
func (c *Consumer) Close() error {
	if c == nil {
		return c.context().Close()
	}
	return c.own.closeWith(context.Background(), c.Context)
}

// Shutdown is as [doca.Context.Shutdown]. It also closes the consumer's own buffers.
func (c *Consumer) Shutdown(ctx context.Context) error {
	if c == nil {
		return c.context().Shutdown(ctx)
	}
	return c.own.closeWith(ctx, c.Context)
}

// String is as [doca.Context.String].
func (c *Consumer) String() string { return c.context().String() }

// LogValue is as [doca.Context.LogValue].
func (c *Consumer) LogValue() slog.Value { return c.context().LogValue() }

// Device is as [doca.Context.Device].
func (c *Consumer) Device() *doca.Device { return c.context().Device() }

// Engine is as [doca.Context.Engine].
func (c *Consumer) Engine() *doca.ProgressEngine { return c.context().Engine() }

// State is as [doca.Context.State].
func (c *Consumer) State() doca.State { return c.context().State() }

// WaitRunning is as [doca.Context.WaitRunning].
func (c *Consumer) WaitRunning(ctx context.Context) error { return c.context().WaitRunning(ctx) }

// SetProfilerRanges is as [doca.Context.SetProfilerRanges].
func (c *Consumer) SetProfilerRanges(n int) error { return c.context().SetProfilerRanges(n) }

// Stop is as [doca.Context.Stop].
func (c *Consumer) Stop(ctx context.Context) error { return c.context().Stop(ctx) }

// WaitIdle is as [doca.Context.WaitIdle].
func (c *Consumer) WaitIdle(ctx context.Context) error { return c.context().WaitIdle(ctx) }

// context returns the embedded context; nil for nil.
func (p *Producer) context() *doca.Context {
	if p == nil {
		return nil
	}
	return p.Context
}

// The methods of the embedded context, which nil would not have.

// Close is as [doca.Context.Close]. It also closes the producer's own buffers. If DOCA has not stopped the producer after
// 30 seconds, Close returns ErrTimeOut and can be called again.
func (p *Producer) Close() error {
	if p == nil {
		return p.context().Close()
	}
	return p.own.closeWith(context.Background(), p.Context)
}

// Shutdown is as [doca.Context.Shutdown]. It also closes the producer's own buffers.
func (p *Producer) Shutdown(ctx context.Context) error {
	if p == nil {
		return p.context().Shutdown(ctx)
	}
	return p.own.closeWith(ctx, p.Context)
}

// String is as [doca.Context.String].
func (p *Producer) String() string { return p.context().String() }

// LogValue is as [doca.Context.LogValue].
func (p *Producer) LogValue() slog.Value { return p.context().LogValue() }

// Device is as [doca.Context.Device].
func (p *Producer) Device() *doca.Device { return p.context().Device() }

// Engine is as [doca.Context.Engine].
func (p *Producer) Engine() *doca.ProgressEngine { return p.context().Engine() }

// State is as [doca.Context.State].
func (p *Producer) State() doca.State { return p.context().State() }

// WaitRunning is as [doca.Context.WaitRunning].
func (p *Producer) WaitRunning(ctx context.Context) error { return p.context().WaitRunning(ctx) }

// SetProfilerRanges is as [doca.Context.SetProfilerRanges].
func (p *Producer) SetProfilerRanges(n int) error { return p.context().SetProfilerRanges(n) }

// Stop is as [doca.Context.Stop].
func (p *Producer) Stop(ctx context.Context) error { return p.context().Stop(ctx) }

// WaitIdle is as [doca.Context.WaitIdle].
func (p *Producer) WaitIdle(ctx context.Context) error { return p.context().WaitIdle(ctx) }

// Close is as [MsgQ.Close].
func (c *DPAConsumer) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (c *DPAConsumer) Shutdown(ctx context.Context) error {
	if c == nil || c.e == nil {
		return noDPAConsumer("close")
	}
	return c.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (c *DPAConsumer) String() string {
	if c == nil || c.e == nil {
		return "no DPA consumer"
	}
	return c.e.name
}

// Close is as [MsgQ.Close].
func (p *DPAProducer) Close() error { return p.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (p *DPAProducer) Shutdown(ctx context.Context) error {
	if p == nil || p.e == nil {
		return noDPAProducer("close")
	}
	return p.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (p *DPAProducer) String() string {
	if p == nil || p.e == nil {
		return "no DPA producer"
	}
	return p.e.name
}

// Close is as [MsgQ.Close].
func (c *ConsumerCompletion) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (c *ConsumerCompletion) Shutdown(ctx context.Context) error {
	if c == nil || c.e == nil {
		return noConsumerCompletion("close")
	}
	return c.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (c *ConsumerCompletion) String() string {
	if c == nil || c.e == nil {
		return "no consumer completion"
	}
	return c.e.name
}
