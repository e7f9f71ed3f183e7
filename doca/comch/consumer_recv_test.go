package comch_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

func TestImmediateDataAlone(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	buf := l.sink(t, 0, 64)
	check(t, l.consumer.Post(nil))
	check(t, l.consumer.Post(buf))
	check(t, l.consumer.Post(nil))
	l.send(t, nil, "alone")
	l.send(t, nil, "with room")
	l.want(t, nil, "", "alone")
	l.want(t, buf, "", "with room")
	err := l.producer.Send(long(t), l.source(t, 0, "no room"), nil, l.id)
	wantErr(t, err, doca.ErrInvalidValue, "does not fit")
	l.send(t, nil, "") // what failed has used nothing up
	l.want(t, nil, "", "")
}

func TestImmediateDataLength(t *testing.T) {
	t.Parallel()
	most := int(must(comch.CapabilitiesOf(must(doca.Devices())(t)[0]))(t).Consumer.MaxImmDataLen)
	for _, c := range []struct{ len, fits int }{{0, most}, {8, 8}, {most, most}} {
		t.Run(fmt.Sprint(c.len), func(t *testing.T) {
			l := newLane(t, shape{consumer: comch.ConsumerConfig{ImmDataLen: c.len}})
			if n := l.consumer.ImmDataLen(); n != c.fits {
				t.Errorf("ImmDataLen is %d, want %d", n, c.fits)
			}
			imm := strings.Repeat("i", c.fits)
			check(t, l.consumer.Post(nil))
			wantErr(t, l.producer.Send(long(t), nil, []byte(imm+"x"), l.id), doca.ErrInvalidValue)
			l.send(t, nil, imm)
			l.want(t, nil, "", imm)
		})
	}
	from, to := newPair(t, comch.Config{})
	mem := memory(t, to, 4096)
	for _, n := range []int{-1, most + 1} {
		_, err := to.NewConsumer(mem, comch.ConsumerConfig{ImmDataLen: n})
		wantErr(t, err, doca.ErrInvalidValue, "ImmDataLen", fmt.Sprint(most))
	}
	for _, n := range []int{-1, 1 << 30} {
		_, err := to.NewConsumer(mem, comch.ConsumerConfig{MaxTasks: n})
		wantErr(t, err, doca.ErrInvalidValue, "ConsumerConfig.MaxTasks")
		_, err = from.NewProducer(comch.ProducerConfig{MaxTasks: n})
		wantErr(t, err, doca.ErrInvalidValue, "ProducerConfig.MaxTasks")
	}
}

func TestDataThatDoesNotFit(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	buf := l.sink(t, 0, 8)
	check(t, l.consumer.Post(buf))
	wantErr(t, l.producer.Send(long(t), l.source(t, 0, "nine byte"), nil, l.id), doca.ErrInvalidValue, "does not fit", fmt.Sprint(l.id))
	l.send(t, l.source(t, 64, "8 bytes!"), "")
	l.want(t, buf, "8 bytes!", "")
	if string(l.in.Bytes()[8:10]) != "\x00\x00" {
		t.Error("something was written behind the buffer")
	}
}

func TestRecvEndsWithContext(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	l.post(t, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.consumer.Recv(ended)
	wantErr(t, err, context.Canceled)
	l.nothing(t)
	if n, err := l.consumer.RecvBatch(ended, nil); n != 0 || err != nil {
		t.Errorf("RecvBatch of none = %d, %v", n, err)
	}
	l.send(t, nil, "late")
	if r := must(l.consumer.Recv(long(t)))(t); string(r.Imm) != "late" {
		t.Errorf("received %q", r.Imm)
	}
}

// Any number of goroutines may receive: each message is for one of them.
func TestManyReceivers(t *testing.T) {
	t.Parallel()
	const receivers, messages = 8, 400
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 16}})
	for range 16 {
		check(t, l.consumer.Post(nil))
	}
	ctx, cancel := context.WithCancel(long(t))
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[string]int{}
	for i := range receivers {
		wg.Go(func() {
			out := make([]comch.Received, 1+i%3)
			for {
				n, err := l.consumer.RecvBatch(ctx, out)
				if err != nil {
					return
				}
				mu.Lock()
				for _, r := range out[:n] {
					got[string(r.Imm)]++
				}
				if len(got) == messages {
					cancel()
				}
				mu.Unlock()
				for range n {
					check(t, l.consumer.Post(nil))
				}
			}
		})
	}
	for i := range messages {
		l.send(t, nil, fmt.Sprint(i))
	}
	wg.Wait()
	for i := range messages {
		if n := got[fmt.Sprint(i)]; n != 1 {
			t.Fatalf("message %d came %d times", i, n)
		}
	}
}

// TestReceiversOfOneMessageEach: messages that come at once reach all goroutines that wait, though each takes one.
func TestReceiversOfOneMessageEach(t *testing.T) {
	t.Parallel()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	l := newLane(t, shape{producer: comch.ProducerConfig{Engine: pe}, consumer: comch.ConsumerConfig{Engine: pe}})
	t.Cleanup(func() { check(t, pe.Close()) })
	const n = 8
	l.post(t, n)
	msgs := l.messages(t, n)
	got := make(chan error, n)
	for range 20 {
		for range n {
			go func() {
				r, err := l.consumer.Recv(t.Context())
				if err == nil {
					err = l.consumer.Post(r.Buffer)
				}
				got <- err
			}()
		}
		time.Sleep(time.Millisecond) // so that most of them wait
		must(l.producer.SendBatch(long(t), msgs))(t)
		for range n {
			select {
			case err := <-got:
				check(t, err)
			case <-time.After(20 * time.Second):
				t.Fatal("a goroutine waits, and there is a message")
			}
		}
	}
}
