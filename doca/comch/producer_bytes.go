package comch

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// SendBytes is like [Producer.Send], but copies data into a buffer of the producer: see
// ProducerConfig.BufferSize. data is the program's again when SendBytes returns, also if ctx ends
// first. If all of the producer's buffers are in use, SendBytes waits for one. It allocates nothing. To have
// several messages under way at once, call it on several goroutines, or use SendAsync or SendBatch.
//
// Errors: ErrTooBig if data is longer than BufferSize; ErrInvalidValue if the producer has no
// buffers; those of Send.
func (p *Producer) SendBytes(ctx context.Context, data, imm []byte, consumer uint32) error {
	if p == nil || p.p == nil {
		return noProducer("send")
	}
	if err := bind.NeedContext(ctx, "send", p); err != nil {
		return err
	}
	in := p.p
	if p.own == nil {
		return in.fail("send", doca.ErrInvalidValue, "the producer has no buffers: set ProducerConfig.BufferSize")
	}
	if most := p.own.list[0].Len(); len(data) > most {
		return in.fail("send", doca.ErrTooBig, fmt.Sprintf("there are %d bytes, ProducerConfig.BufferSize is %d", len(data), most))
	}
	one := [1]Message{{Imm: imm, Consumer: consumer}}
	if len(data) == 0 {
		_, err := in.send(ctx, one[:], true, nil)
		return err
	}
	buf, err := in.takeSpare(ctx)
	if err != nil {
		return in.resolve(ctx, "send", err)
	}
	if err := buf.SetData(0, copy(buf.Bytes(), data)); err != nil { // the producer is being closed
		in.giveSpare(buf)
		return err
	}
	one[0].Buffer = buf
	_, err = in.send(ctx, one[:], true, buf)
	return err
}

// takeSpare waits for a buffer that no message uses, and takes it.
func (p *producer) takeSpare(ctx context.Context) (*doca.Buffer, error) {
	if err := p.link.LockAlwaysFor(ctx); err != nil {
		return nil, err
	}
	defer p.link.Unlock()
	if err := p.usableLocked("send"); err != nil {
		return nil, err
	}
	if len(p.spare) == 0 {
		err := p.link.Await(ctx, func() bool { return len(p.spare) > 0 || p.usableLocked("send") != nil })
		if stopped := p.usableLocked("send"); stopped != nil {
			return nil, stopped
		}
		if err != nil {
			return nil, err
		}
	}
	last := len(p.spare) - 1
	buf := p.spare[last]
	p.spare = p.spare[:last]
	return buf, nil
}

func (p *producer) giveSpare(buf *doca.Buffer) {
	p.link.LockAlways()
	defer p.link.Unlock()
	p.giveSpareLocked(buf)
}

// giveSpareLocked gives a buffer back, which no message uses any more.
func (p *producer) giveSpareLocked(buf *doca.Buffer) {
	p.spare = append(p.spare, buf)
	if len(p.spare) == 1 {
		p.link.Wake()
	}
}
