package core_test

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
)

// fromDPA is a queue from a DPA, on which send sends a number.
type fromDPA struct {
	consumer *comch.Consumer
	send     func(n uint64)
}

func newFromDPA(t *testing.T) *fromDPA {
	t.Helper()
	dev := must(doca.OpenDevice(dpu0))(t)
	t.Cleanup(func() { check(t, dev.Close()) })
	d := must(dpa.New(dev, dpa.Config{App: msgqtest.App()}))(t)
	q := must(comch.NewMsgQ(d, comch.MsgQConfig{Direction: comch.FromDPA}))(t)
	reports := must(d.NewCompletion(dpa.CompletionConfig{QueueSize: 4}))(t)
	producer := must(q.NewDPAProducer(comch.DPAProducerConfig{Completion: reports, MaxSends: 4}))(t)
	consumer := must(q.NewConsumer(comch.ConsumerConfig{MaxTasks: 4}))(t)
	args := must(dpa.Place(d, msgqtest.Ends{
		Producer: must(producer.Handle())(t), ProducerComp: must(reports.Handle())(t), To: consumer.ID(),
	}))(t)
	t.Cleanup(func() { runtime.KeepAlive([]any{q, reports, producer, args}) })
	return &fromDPA{consumer, func(n uint64) {
		sent, err := msgqtest.CallSendNumbers(t.Context(), d, args.Addr(), n, 1)
		assert.NoError(t, err)
		assert.EqualValues(t, 1, sent)
	}}
}

// awaitBusy waits until the lock of an engine is taken, but not for long: a test that needs this fails otherwise, and need not hang.
func awaitBusy(pe *doca.ProgressEngine) {
	for start := time.Now(); !core.Busy(pe) && time.Since(start) < time.Second; {
		runtime.Gosched()
	}
}

// A message from the DPA that comes while the step of its receive lingers is received within the call.
func TestReceiveFromDPALingers(t *testing.T) {
	t.Parallel()
	q := newFromDPA(t)
	pe := q.consumer.Engine()
	core.Linger(pe, math.MaxUint32) // 4 s
	inOneStep(t, pe, func() {
		var sending sync.WaitGroup
		sending.Go(func() {
			awaitBusy(pe)
			q.send(7)
		})
		r := must(q.consumer.Recv(t.Context()))(t)
		sending.Wait()
		assert.Equal(t, []byte{7, 0, 0, 0, 0, 0, 0, 0}, r.Imm)
	})
}

// Whoever needs the engine ends the lingering of a receive, which then waits on.
func TestLingeringReceiveGivesWay(t *testing.T) {
	t.Parallel()
	q := newFromDPA(t)
	pe := q.consumer.Engine()
	core.Linger(pe, math.MaxUint32)
	received := make(chan comch.Received, 1)
	go func() {
		r, err := q.consumer.Recv(t.Context())
		assert.NoError(t, err)
		received <- r
	}()
	awaitBusy(pe)
	must(pe.Progress())(t)
	select {
	case <-received:
		t.Error("there was nothing to receive")
	default:
	}
	q.send(8)
	assert.Equal(t, []byte{8, 0, 0, 0, 0, 0, 0, 0}, (<-received).Imm)
}

// A copy that somebody waits for ends within the call, even if others end before it, for which nobody waits.
func TestCopyLingersOverOthers(t *testing.T) {
	r := newRig(t)
	core.Linger(r.PE, math.MaxUint32)
	faults(t, "delay=20ms,rate=100")
	r.Copy(t) // makes what the others have
	mostly(t, "it took more than one step", func() bool {
		first := must(r.DMA.CopyRangeAsync(t.Context(), r.Mem, 2048, r.Mem, 0, 64))(t)
		before := core.Polls(r.PE)
		r.Copy(t)
		steps := core.Polls(r.PE) - before
		check(t, first.Err())
		return steps == 1
	})
}
