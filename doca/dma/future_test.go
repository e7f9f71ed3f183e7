package dma_test

import (
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A future's channel needs nobody to drive the engine.
func TestDone(t *testing.T) {
	b := newBench(t, 8)
	faults(t, "delay=10ms")
	var futures []*dma.Future
	for i := range 8 {
		src, dst := b.pair(t, i, 64)
		f := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
		wantErr(t, f.Err(), doca.ErrInProgress)
		futures = append(futures, f)
	}
	for _, f := range futures {
		select {
		case <-f.Done():
		case <-time.After(20 * time.Second):
			t.Fatal("the channel stays open")
		}
		if f.Done() == nil || f.Err() != nil {
			t.Errorf("Err() = %v", f.Err())
		}
		if n, err := f.Wait(t.Context()); n != 64 || err != nil {
			t.Errorf("Wait = %d, %v", n, err)
		}
	}
}

// Futures may be dropped: the context's end waits for the copies.
func TestDroppedFutures(t *testing.T) {
	b := newBench(t, 8)
	faults(t, "delay=20ms")
	for i := range 8 {
		src, dst := b.pair(t, i, 64)
		must(b.dma.CopyAsync(t.Context(), dst, src))(t)
	}
	check(t, b.dma.Close())
	for i := range 8 {
		if string(b.mem.Bytes()[2*i*64:][:64]) != string(b.mem.Bytes()[(2*i+1)*64:][:64]) {
			t.Errorf("copy %d was not done", i)
		}
	}
}
