package dma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

// When the context ends no Write begins, not even of what has been copied.
func TestStreamSlowWriter(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	writes := 0
	n, err := s.CopyOut(ctx, writerFunc(func(p []byte) (int, error) {
		if writes++; writes == 1 {
			<-asked // all buffers are full, or about to be
			cancel()
		}
		return len(p), nil
	}), func(yield func(*doca.Buffer, error) bool) {
		pieces := 0
		s.Sources(b.mem, 0, 300)(func(buf *doca.Buffer, err error) bool {
			if pieces++; pieces == 3 {
				defer close(asked)
			}
			return yield(buf, err)
		})
	})
	if wantErr(t, err, context.Canceled); n != 100 || writes != 1 {
		t.Errorf("%d bytes were written with %d calls", n, writes)
	}
}

// limited takes so many bytes.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	if l.left -= n; n < len(b) {
		return n, l.err
	}
	return n, nil
}
