package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/examples/dpa_msgq_echo/kernels"
	"github.com/go-doca/go-doca/generated/common"
)

// echo has the ends of both queues in this process, and the numbers of those on the DPA.
type echo struct {
	cfg                 config
	d                   *dpa.DPA
	onDPA               []any                // what the thread uses: a handle that nobody has any more is reported as a leak
	pe                  *doca.ProgressEngine // of producer and consumer
	producer            *comch.Producer
	consumer            *comch.Consumer
	to                  uint32       // the consumer on the DPA
	source, destination *doca.Memory // nil without -copy
}

// newEcho makes both queues and starts the thread.
func newEcho(ctx context.Context, dev *doca.Device, cfg config) (e *echo, err error) {
	e = &echo{cfg: cfg}
	if e.d, err = dpa.New(dev, dpa.Config{App: kernels.App()}); err != nil {
		return nil, err
	}
	if e.pe, err = doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true}); err != nil {
		return nil, errors.Join(err, e.d.Close())
	}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *echo) start(ctx context.Context) error {
	args := kernels.EchoArgs{CopyLen: uint32(e.cfg.copyLen), Slots: uint32(e.cfg.window)}
	memory, err := dpa.Place(e.d, args) // the rest of the arguments follows below
	if err != nil {
		return err
	}
	thread, err := e.d.NewThread(dpa.ThreadConfig{Func: kernels.FuncEcho(), Arg: uint64(memory.Addr())})
	if err != nil {
		return err
	}
	e.onDPA = append(e.onDPA, memory, thread)
	if err := e.toDPA(thread, &args); err != nil {
		return err
	}
	if err := e.fromDPA(&args); err != nil {
		return err
	}
	if e.cfg.copyLen > 0 {
		if err := e.memories(&args); err != nil {
			return err
		}
	}
	if err := dpa.Put(memory, 0, args); err != nil {
		return err
	}
	if err := thread.Run(); err != nil {
		return err
	}
	_, err = kernels.CallEchoReady(ctx, e.d, memory.Addr(), uint32(e.cfg.window))
	return err
}

// Close closes the DPA, with all that belongs to it, and the memories.
func (e *echo) Close() error {
	err := errors.Join(e.d.Close(), e.pe.Close())
	e.onDPA = nil
	for _, m := range []*doca.Memory{e.source, e.destination} {
		if m != nil {
			err = errors.Join(err, m.Close())
		}
	}
	return err
}

// toDPA makes the queue to the thread, which wakes it.
func (e *echo) toDPA(thread *dpa.Thread, args *kernels.EchoArgs) error {
	q, err := comch.NewMsgQ(e.d, comch.MsgQConfig{Direction: comch.ToDPA})
	if err != nil {
		return err
	}
	completion, err := comch.NewConsumerCompletion(e.d, comch.ConsumerCompletionConfig{Thread: thread, MaxReceives: e.cfg.window})
	if err != nil {
		return err
	}
	consumer, err := q.NewDPAConsumer(comch.DPAConsumerConfig{Completion: completion, MaxReceives: e.cfg.window})
	if err != nil {
		return err
	}
	e.to = consumer.ID()
	e.onDPA = append(e.onDPA, completion, consumer)
	if args.ConsumerComp, err = completion.Handle(); err != nil {
		return err
	}
	if args.Consumer, err = consumer.Handle(); err != nil {
		return err
	}
	e.producer, err = q.NewProducer(comch.ProducerConfig{Engine: e.pe, MaxTasks: e.cfg.window})
	return err
}

// fromDPA makes the queue for the answers.
func (e *echo) fromDPA(args *kernels.EchoArgs) error {
	q, err := comch.NewMsgQ(e.d, comch.MsgQConfig{Direction: comch.FromDPA})
	if err != nil {
		return err
	}
	completion, err := e.d.NewCompletion(dpa.CompletionConfig{QueueSize: e.cfg.window})
	if err != nil {
		return err
	}
	producer, err := q.NewDPAProducer(comch.DPAProducerConfig{Completion: completion, MaxSends: e.cfg.window})
	if err != nil {
		return err
	}
	e.onDPA = append(e.onDPA, completion, producer)
	if args.ProducerComp, err = completion.Handle(); err != nil {
		return err
	}
	if args.Producer, err = producer.Handle(); err != nil {
		return err
	}
	if e.consumer, err = q.NewConsumer(comch.ConsumerConfig{Engine: e.pe, MaxTasks: e.cfg.window, AutoPost: true}); err != nil {
		return err
	}
	args.ConsumerID = e.consumer.ID()
	return nil
}

// memories makes the memories between which the thread copies.
func (e *echo) memories(args *kernels.EchoArgs) error {
	size := e.cfg.window * e.cfg.copyLen
	for _, m := range []struct {
		mem    **doca.Memory
		addr   *uint64
		handle *common.DPADevMmap
	}{{&e.source, &args.Source, &args.SourceMmap}, {&e.destination, &args.Destination, &args.DestinationMmap}} {
		mem, err := doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{e.d.Device()}})
		if err != nil {
			return err
		}
		*m.mem, *m.addr = mem, uint64(mem.Address())
		if *m.handle, err = e.d.MmapHandle(mem); err != nil {
			return err
		}
	}
	return nil
}

// messageLen is the length of a message: a number, and marks that follow from it.
const messageLen = comch.MaxMsgQMessage

// slot returns the place of a message in a memory.
func (e *echo) slot(mem *doca.Memory, number uint64) []byte {
	n := uint64(e.cfg.copyLen)
	return mem.Bytes()[number%uint64(e.cfg.window)*n:][:n]
}

func fill(message []byte, number uint64) {
	for i := 0; i < messageLen; i += 8 {
		binary.LittleEndian.PutUint64(message[i:], number*uint64(i+1))
	}
}

// exchange sends the messages, checks what comes back, and returns the messages a second. What has come back makes room for others. It
// allocates nothing for a message.
func (e *echo) exchange(ctx context.Context) (rate float64, err error) {
	window := uint64(e.cfg.window)
	bytes := make([]byte, e.cfg.window*messageLen)
	out := make([]comch.Message, 0, e.cfg.window)
	in := make([]comch.Received, e.cfg.window)
	batches := make([]comch.Future, e.cfg.window)
	started := uint64(0)
	begin := time.Now()
	for sent, back := uint64(0), uint64(0); back < e.cfg.messages; {
		for out = out[:0]; sent < e.cfg.messages && sent-back < window; sent++ {
			out = append(out, e.message(bytes[len(out)*messageLen:][:messageLen], sent))
		}
		if len(out) > 0 {
			batch := &batches[started%window]
			if started >= window { // it was started before, and is back; DOCA may say so later than the answers come
				if err := batch.Wait(ctx); err != nil {
					return 0, err
				}
			}
			if err := e.producer.StartBatch(out, batch); err != nil {
				return 0, err
			}
			started++
		}
		n, err := e.receive(ctx, in, back)
		if err != nil {
			return 0, err
		}
		back += uint64(n)
	}
	return float64(e.cfg.messages) / time.Since(begin).Seconds(), nil
}

// message makes the message of a number, and its bytes to copy.
func (e *echo) message(message []byte, number uint64) comch.Message {
	fill(message, number)
	if e.source != nil {
		binary.LittleEndian.PutUint64(e.slot(e.source, number), number)
	}
	return comch.Message{Imm: message, Consumer: e.to}
}

// receive waits for messages and checks them. The first of them has the number first.
func (e *echo) receive(ctx context.Context, in []comch.Received, first uint64) (int, error) {
	n, err := e.consumer.RecvBatch(ctx, in)
	if err != nil {
		return 0, err
	}
	for i := range n {
		if err := e.check(in[i].Imm, first+uint64(i)); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// check compares a message that has come back with the one that was sent.
func (e *echo) check(got []byte, number uint64) error {
	var want [messageLen]byte
	fill(want[:], number)
	if string(got) != string(want[:]) {
		return fmt.Errorf("message %d has come back as %x, not as %x", number, got, want)
	}
	if e.destination != nil {
		if n := binary.LittleEndian.Uint64(e.slot(e.destination, number)); n != number {
			return fmt.Errorf("the bytes of message %d were not copied: they are of %d", number, n)
		}
	}
	return nil
}
