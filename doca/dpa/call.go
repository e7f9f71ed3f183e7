package dpa

import (
	"context"
	"runtime"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
)

// calls are the calls of functions on the DPA that have not returned. The context's lock guards them.
type calls struct{ active map[*call]struct{} }

type call struct{ name string }

// CallFunction calls a function on the DPA and returns its result, for code that gen dpa writes. function is its name, and do calls DOCA, which waits for the result.
//
// DOCA cannot end a call. If ctx ends first, CallFunction returns an error that wraps ctx.Err() and names the function; the call goes on
// in a thread of its own, and Close waits for it.
//
// Errors: ErrInvalidValue if d or do is nil; [ErrFatal]; a [*doca.StateError] if d is closed; and those of do. Any number of calls may go on at
// once.
func CallFunction(ctx context.Context, d *DPA, function string, do func(*common.DPA) (uint64, error)) (uint64, error) {
	const op = "call"
	if d == nil || d.c == nil {
		return 0, noDPA(op)
	}
	name := function + " on " + d.c.name
	if do == nil {
		return 0, wrong(op, name, "the function is nil")
	}
	if err := bind.NeedContext(ctx, op, d); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	raw, this, err := d.c.beginCall(ctx, op, name)
	if err != nil {
		return 0, err
	}
	if ctx.Done() == nil {
		defer runtime.KeepAlive(d)
		result, err := do(raw)
		return result, d.c.endCall(op, this, err)
	}
	type outcome struct {
		result uint64
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer runtime.KeepAlive(d)
		result, err := do(raw)
		done <- outcome{result, d.c.endCall(op, this, err)}
	}()
	select {
	case out := <-done:
		return out.result, out.err
	case <-ctx.Done():
		return 0, &doca.OpError{Op: op, Object: name, Err: ctx.Err(), Advice: "the function has not returned, and goes on"}
	}
}

func (c *instance) beginCall(ctx context.Context, op, name string) (*common.DPA, *call, error) {
	if err := c.lockFor(ctx); err != nil {
		return nil, nil, fail(op, name, err, "the function was not called: "+busyAdvice)
	}
	defer c.mu.Unlock()
	if err := c.readyLocked(op, name); err != nil {
		return nil, nil, err
	}
	this := &call{name}
	if c.calls.active == nil {
		c.calls.active = map[*call]struct{}{}
	}
	c.calls.active[this] = struct{}{}
	return c.raw, this, nil
}

func (c *instance) endCall(op string, this *call, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls.active, this)
	return fail(op, this.name, c.causeLocked(err), "")
}

// wait waits until no call goes on.
func (s *calls) wait(ctx context.Context, c *instance) error {
	var name string
	err := poll(ctx, func() (bool, error) {
		if err := c.lockFor(ctx); err != nil {
			return false, fail("close", c.name, err, busyAdvice)
		}
		defer c.mu.Unlock()
		for this := range s.active {
			name = this.name
			return false, nil
		}
		return true, nil
	})
	return fail("close", c.name, err, "it waits for the call of "+name)
}
