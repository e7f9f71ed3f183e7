package comch_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca/comch"
)

// One goroutine plays both sides.
func BenchmarkExchange(b *testing.B) {
	client, server := newPair(b, comch.Config{})
	buf := make([]byte, 64)
	ctx := context.Background()
	for b.Loop() {
		err1 := client.Send(ctx, buf)
		_, err2 := server.RecvInto(ctx, buf)
		err3 := server.Send(ctx, buf)
		_, err4 := client.RecvInto(ctx, buf)
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			b.Fatal(err1, err2, err3, err4)
		}
	}
}

// Two goroutines, one on each side.
func BenchmarkPingPong(b *testing.B) {
	client, server := newPair(b, comch.Config{})
	ctx := context.Background()
	go func() {
		buf := make([]byte, 64)
		for {
			if _, err := server.RecvInto(ctx, buf); err != nil {
				return
			}
			if err := server.Send(ctx, buf); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64)
	for b.Loop() {
		err1 := client.Send(ctx, buf)
		_, err2 := client.RecvInto(ctx, buf)
		if err1 != nil || err2 != nil {
			b.Fatal(err1, err2)
		}
	}
}

// A goroutine on each side: with buffers of the program, whose sender copies into one of them, and with buffers of
// the consumer and the producer.
func BenchmarkData(b *testing.B) {
	for _, size := range []int{64, 64 << 10} {
		data := make([]byte, size)
		b.Run(fmt.Sprintf("explicit/%d", size), func(b *testing.B) {
			l := newLane(b, shape{memory: 32 * size})
			for i := range 32 {
				check(b, l.consumer.Post(l.sink(b, i*size, size)))
			}
			buf := must(l.inv.Buffer(l.out, 0, size))(b)
			go func() {
				for {
					r, err := l.consumer.Recv(context.Background())
					if err != nil || l.consumer.Post(r.Buffer) != nil {
						return
					}
				}
			}()
			benchmarkSend(b, size, func(ctx context.Context) error {
				if err := buf.SetData(0, copy(buf.Bytes(), data)); err != nil {
					return err
				}
				return l.producer.Send(ctx, buf, nil, l.id)
			})
		})
		b.Run(fmt.Sprintf("own/%d", size), func(b *testing.B) {
			from, to := newPair(b, comch.Config{})
			consumer := must(to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: size}))(b)
			producer := must(from.NewProducer(comch.ProducerConfig{BufferSize: size}))(b)
			id := must(from.WaitConsumer(b.Context()))(b)
			go func() {
				for _, err := range consumer.Messages(context.Background()) {
					if err != nil {
						return
					}
				}
			}()
			benchmarkSend(b, size, func(ctx context.Context) error { return producer.SendBytes(ctx, data, nil, id) })
		})
	}
}

func benchmarkSend(b *testing.B, size int, send func(context.Context) error) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := send(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
