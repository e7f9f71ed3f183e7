package dma_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
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

// A Write that blocks gets the time that it needs, as long as ctx allows, whatever else has failed: what was read and copied before is
// written.
func TestFailureWaitsForWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t, 8)
	s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100, Buffers: 2}))(t)
	defer func() { check(t, s.Close()) }()
	boom := errors.New("boom")
	for name, f := range map[string]func(w *blocking) (int64, error){
		"a reader": func(w *blocking) (int64, error) {
			return b.dma.CopyThrough(t.Context(), w, b.mem, io.MultiReader(bytes.NewReader(content(100)), readerFunc(func([]byte) (int, error) {
				<-w.begun
				return 0, boom
			})))
		},
		"a sequence": func(w *blocking) (int64, error) {
			return s.CopyOut(t.Context(), w, func(yield func(*doca.Buffer, error) bool) {
				s.Sources(b.mem, 0, 100)(yield)
				<-w.begun
				yield(nil, boom)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBlocking()
			go func() {
				<-w.begun
				time.Sleep(300 * time.Millisecond) // three times what a Read gets
				close(w.goes)
			}()
			n, err := f(w)
			wantErr(t, err, boom)
			assert.NotErrorIs(t, err, doca.ErrInUse)
			assert.EqualValues(t, 100, n)
		})
	}
}
