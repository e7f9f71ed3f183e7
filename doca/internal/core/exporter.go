package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// imports are the imported memories that are open.
var imports struct {
	sync.Mutex
	all map[*Memory]struct{}
}

func (m *Memory) rememberImport() {
	imports.Lock()
	defer imports.Unlock()
	if imports.all == nil {
		imports.all = map[*Memory]struct{}{}
	}
	imports.all[m] = struct{}{}
}

func (m *Memory) forgetImport() {
	imports.Lock()
	defer imports.Unlock()
	delete(imports.all, m)
}

// question is whether a memory could still be imported. DOCA answers at once, unless the process that has exported it is stopped.
type question struct {
	done  chan struct{} // closed with the answer
	ended bool          // the export has ended; false also means that DOCA does not tell
}

// ask asks DOCA whether the memory could still be imported. It returns nil if the memory or its device is being closed. The device is not
// closed before the answer.
func (m *Memory) ask() *question {
	if m.Node.phase.Load() != phaseOpen {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		n, err := newNode(rankMemory, "import", "to see whether "+m.Node.String()+" is still exported", m.devs[0].Node)
		if err != nil {
			return nil
		}
		m.asked = &question{done: make(chan struct{})}
		go m.answer(m.asked, n)
	}
	return m.asked
}

// answer answers a question. n has what is imported for it.
func (m *Memory) answer(q *question, n *Node) {
	raw, err := common.MmapCreateFromExport(0, m.desc, m.devs[0].raw)
	if q.ended = errors.Is(err, abi.ErrorInvalidValue); err == nil || q.ended {
		m.silent.Store(false)
	}
	_ = n.undo(func(context.Context) error { // if it fails, the node stays, and the device closes it
		if err != nil {
			return nil
		}
		return n.Fail("close", common.MmapDestroy(nil, raw), "")
	})
	m.mu.Lock()
	m.asked = nil
	m.mu.Unlock()
	close(q.done)
}

// Explain returns the error of a task that the device has failed, with what has become of memory that the device has imported. err
// says what can be done otherwise. It waits for the processes that have exported it no longer than ctx and explainTime, and for each that
// has not answered only once. No lock is held.
func (c *Link) Explain(ctx context.Context, op string, code, err error) error {
	imports.Lock()
	var mine []*Memory
	for m := range imports.all {
		if len(mine) < maxExplained && m.reaches(c.dev) {
			mine = append(mine, m)
		}
	}
	imports.Unlock()
	if len(mine) == 0 {
		return err
	}
	questions := make([]*question, len(mine))
	for i, m := range mine {
		questions[i] = m.ask()
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(destroyTime, cancel) })()
	var gone []string
	for i, m := range mine {
		if q := questions[i]; q != nil && m.tells(limit, q) && q.ended {
			gone = append(gone, m.Node.String())
		}
	}
	if len(gone) == 0 {
		return err
	}
	return c.Node.Fail(op, code, fmt.Sprintf("the process that exported %s has ended, or has closed it, which stops the context: "+
		"close the memory, call Start, and import what the process exports when it runs again", strings.Join(gone, " and ")))
}

// tells reports whether a question of the memory is answered. It waits for that, unless one was not answered in time before.
func (m *Memory) tells(ctx context.Context, q *question) bool {
	if !m.silent.Load() {
		select {
		case <-q.done:
		case <-ctx.Done():
		}
	}
	select {
	case <-q.done:
		return true
	default:
		m.silent.Store(true)
		return false
	}
}

// maxExplained limits how many memories are asked for.
const maxExplained = 16

// explainTime limits the wait for processes that may be stopped. A process that runs answers at once.
var explainTime = 5 * time.Second
