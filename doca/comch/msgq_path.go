package comch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dpa"
	gen "github.com/go-doca/go-doca/generated/comch"
)

const (
	immOnlyAdvice = "a MsgQ carries immediate data alone, without buffers"
	noNamesAdvice = "the other side of a MsgQ is code on the DPA, which has no names: give it the ID"
)

// watchPause is the time between two looks at a DPA whose queue has consumers or producers in this process. DOCA does not report a
// fatal error.
const watchPause = 50 * time.Millisecond

// msgq is the inner part of a MsgQ. It never points to it. It is the path of consumers and producers in this process.
type msgq struct {
	name  string
	check func(ctx context.Context, op string) error // an error that is dpa.ErrFatal, if the DPA has had a fatal error
	over  atomic.Pointer[error]                      // that error

	mu       sync.Mutex // guards what follows, and DOCA's object
	raw      *gen.Msgq  // nil: closed, or not created
	attached map[*attachment]struct{}
	watching bool
}

var _ path = (*msgq)(nil)

// do calls f with DOCA's queue.
func (q *msgq) do(op string, f func(raw *gen.Msgq) error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.raw == nil {
		return &doca.StateError{Object: q.name, State: doca.StateClosed, Op: op}
	}
	if err := q.check(context.Background(), op); err != nil {
		return err
	}
	return f(q.raw)
}

func (q *msgq) close(context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.raw == nil {
		return nil
	}
	if err := gen.MsgqStop(nil, q.raw); err != nil && !errors.Is(err, doca.ErrBadState) { // BAD_STATE: an earlier close has stopped it
		return q.fail("close", err, "")
	}
	if err := gen.MsgqDestroy(nil, q.raw); err != nil {
		return q.fail("close", err, "")
	}
	q.raw = nil
	return nil
}

func (q *msgq) newConsumer(e *endpoint, _ *doca.Memory) (raw *gen.Consumer, err error) {
	err = q.do("create consumer", func(queue *gen.Msgq) (err error) {
		raw, err = gen.MsgqConsumerCreate(queue)
		q.attachLocked(e, err)
		return err
	})
	return raw, err
}

func (q *msgq) newProducer(e *endpoint) (raw *gen.Producer, err error) {
	err = q.do("create producer", func(queue *gen.Msgq) (err error) {
		raw, err = gen.MsgqProducerCreate(queue)
		q.attachLocked(e, err)
		return err
	})
	return raw, err
}

func (q *msgq) attachLocked(e *endpoint, err error) {
	if err != nil {
		return
	}
	if q.attached == nil {
		q.attached = map[*attachment]struct{}{}
	}
	q.attached[&e.att] = struct{}{}
	if !q.watching {
		q.watching = true
		go q.watch()
	}
}

func (q *msgq) detach(e *endpoint) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.attached, &e.att)
}

// watch tells the consumers and producers of this process when the DPA has a fatal error. It ends then, or when there are none.
func (q *msgq) watch() {
	for {
		time.Sleep(watchPause)
		fatal := q.look(context.Background(), "watch")
		q.mu.Lock()
		if fatal == nil && len(q.attached) > 0 {
			q.mu.Unlock()
			continue
		}
		q.watching = false
		for a := range q.attached {
			go a.lost(fatal)
		}
		clear(q.attached)
		q.mu.Unlock()
		return
	}
}

// look asks whether the DPA has had a fatal error, and remembers it. If ctx ends before it knows, it returns ctx.Err().
func (q *msgq) look(ctx context.Context, op string) error {
	if over := q.over.Load(); over != nil {
		return *over
	}
	err := q.check(ctx, op)
	switch {
	case errors.Is(err, dpa.ErrFatal):
	case err != nil && err == ctx.Err():
		return err
	default: // if it is closed, what belongs to the queue is as well
		return nil
	}
	if op := new(doca.OpError); errors.As(err, &op) {
		err = op.Err
	}
	q.over.CompareAndSwap(nil, &err)
	return err
}

func (q *msgq) maxImm(most uint32) int { return min(int(most), MaxMsgQMessage) }

func (q *msgq) drive(_ context.Context, f func() error) error { return f() }

func (q *msgq) refused(ctx context.Context, op string, err error) error { return q.why(ctx, op, err) }

// why returns the error of the DPA if that has failed, else err, and err if it says that something is closed, which is the
// program's doing.
func (q *msgq) why(ctx context.Context, op string, err error) error {
	if errors.Is(err, doca.ErrClosed) {
		return err
	}
	if fatal := q.look(ctx, op); errors.Is(fatal, dpa.ErrFatal) && !errors.Is(err, dpa.ErrFatal) {
		return q.fail(op, fatal, "")
	}
	return err
}

func (q *msgq) end(op string, e *endpoint) error {
	if over := q.over.Load(); over != nil {
		return e.fail(op, *over, bind.Advice(*over))
	}
	return nil
}

func (q *msgq) cause() error {
	if over := q.over.Load(); over != nil {
		return *over
	}
	return nil
}

func (q *msgq) suspects(error) bool { return true }

func (q *msgq) verdict(ctx context.Context, op, object string, s *suspicion) error {
	err := q.look(ctx, op)
	switch {
	case err == nil:
		return s.error
	case errors.Is(err, dpa.ErrFatal):
		return &doca.OpError{Op: op, Object: object, Err: err, Advice: bind.Advice(err)}
	}
	return &doca.OpError{Op: op, Object: object, Err: err, Advice: fmt.Sprintf("DOCA has said %v, perhaps because the DPA has failed", codeOf(s.error))}
}

func (q *msgq) changes() *atomic.Uint32 { return new(atomic.Uint32) } // consumers on the DPA do not report

func (q *msgq) hear() {}

// fail returns the error of an operation that failed.
func (q *msgq) fail(op string, err error, advice string) error {
	switch err.(type) {
	case nil, *doca.OpError, *doca.StateError:
		return err
	}
	if advice == "" {
		advice = bind.Advice(err)
	}
	return &doca.OpError{Op: op, Object: q.name, Err: err, Advice: advice}
}
