package comchnet

import (
	"context"
	"sync"
)

// signal wakes the one goroutine that waits for it. It is guarded by the Conn's mu except for
// the channel.
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

// waitLocked releases mu until there is a token or ctx ends; spurious tokens happen.
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
