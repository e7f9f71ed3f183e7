package comchnet

import (
	"context"
	"sync"
)

// signal wakes the one goroutine that waits for it. The Conn's mu guards waited.
type signal struct {
	waited bool
	token  chan struct{}
}

func (s *signal) init() { s.token = make(chan struct{}, 1) }

func (s *signal) notifyLocked() {
	if s.waited {
		s.waited = false
		select {
		case s.token <- struct{}{}:
		default:
		}
	}
}

// waitLocked waits for a token or the end of ctx, and releases mu meanwhile. It may return without a
// reason.
func (s *signal) waitLocked(ctx context.Context, mu *sync.Mutex) error {
	s.waited = true
	mu.Unlock()
	defer mu.Lock()
	select {
	case <-s.token:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
