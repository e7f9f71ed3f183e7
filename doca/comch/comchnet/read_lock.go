package comchnet

import "context"

// readLock is held while reading. Calls wait for it no longer than for data: a WriteTo has it while its writer takes its time.
type readLock chan struct{}

func newReadLock() readLock { return make(readLock, 1) }

// lock returns the cause of the end of ctx if that comes first.
func (l readLock) lock(ctx context.Context) error {
	if l.tryLock() {
		return nil
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l readLock) tryLock() bool {
	select {
	case l <- struct{}{}:
		return true
	default:
		return false
	}
}

func (l readLock) unlock() { <-l }
