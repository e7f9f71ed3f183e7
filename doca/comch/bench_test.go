package comch_test

import (
	"context"
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
