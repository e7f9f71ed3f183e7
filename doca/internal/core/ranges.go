package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Ranges gives the tasks of a context buffers on ranges of memories; see bind.Ranges. The engine's
// lock guards it.
type Ranges struct {
	link   *Link
	last   [2]*stock // of the latest range that was read, and of the latest that was written
	stocks map[*Memory]*stock
}

// stock has the buffers that a context keeps on a memory. Each covers the whole memory, and any task
// can have any of them: where its data begins is told to DOCA with each submission. While some are
// out, the memory is in use and is not closed.
type stock struct {
	owner   *Ranges
	mem     *Memory
	room    int // buffers that the inventories can still give
	total   int // and those that they could give at first
	invs    []*common.BufInventory
	free    []*common.Buf
	out     int  // buffers that tasks have
	awaited bool // somebody waits until none is out
	gone    bool // everything was given back to DOCA
}

// firstRoom is the size of a stock's first inventory. Each further one doubles the stock.
const firstRoom = 8

// The indices of Ranges.last.
const (
	toRead = iota
	toWrite
)

// Init ties the ranges to a context.
func (r *Ranges) Init(link *Link) { r.link, r.stocks = link, map[*Memory]*stock{} }

// Read returns a buffer whose data is a range, for a task that reads it. See bind.Ranges for this
// method and those that follow.
func (r *Ranges) Read(s Segment, op string) (common.BufView, error) {
	st := r.last[toRead]
	if st == nil || st.mem != s.Memory || s.N == 0 || len(st.free) == 0 || s.Memory.Node.phase.Load() != phaseOpen {
		var err error
		if st, err = r.find(s, op, toRead); err != nil {
			return common.BufView{}, err
		}
	}
	return st.take(s, s.N), nil
}

// Write returns a buffer that a task fills from the start of a range.
func (r *Ranges) Write(s Segment, op string) (common.BufView, error) {
	st := r.last[toWrite]
	if st == nil || st.mem != s.Memory || len(st.free) == 0 || s.Memory.readOnly.Load() || s.Memory.Node.phase.Load() != phaseOpen {
		var err error
		if st, err = r.find(s, op, toWrite); err != nil {
			return common.BufView{}, err
		}
	}
	return st.take(s, 0), nil
}

// Part is Read or Write for a further task of an operation that has the memory already, by a buffer
// that it got here or claimed. It works also while the memory is being closed, which waits for the
// operation.
func (r *Ranges) Part(s Segment, op string, write bool) (common.BufView, error) {
	st, err := r.stocked(s.Memory, op, false)
	if err != nil {
		return common.BufView{}, err
	}
	n := s.N
	if write {
		n = 0
	}
	return st.take(s, n), nil
}

// take hands out a buffer. One is free.
func (st *stock) take(s Segment, n int) common.BufView {
	last := len(st.free) - 1
	buf := st.free[last]
	st.free = st.free[:last]
	st.out++
	return common.BufView{Buf: buf, Data: st.mem.start + uintptr(s.off), Len: uint64(n)}
}

// Return takes the buffer of a range back. No task uses it.
func (r *Ranges) Return(s Segment, buf *common.Buf) {
	st := r.last[toRead]
	if st == nil || st.mem != s.Memory {
		if st = r.last[toWrite]; st == nil || st.mem != s.Memory {
			st = r.stocks[s.Memory]
		}
	}
	st.free = append(st.free, buf)
	st.out--
	if st.awaited && st.out == 0 {
		st.awaited = false
		r.link.eng.changedLocked()
	}
}

// find checks a range that is to be used, and returns a stock that has a buffer for it.
func (r *Ranges) find(s Segment, op string, use int) (*stock, error) {
	m := s.Memory
	if err := m.Node.Open(op); err != nil {
		return nil, err
	}
	if use == toRead && s.N == 0 {
		return nil, Fail(op, r.link.String(), abi.ErrorInvalidValue, "the range that is read is empty")
	}
	if err := m.usable(r.link, op, m.Node, use == toWrite); err != nil {
		return nil, err
	}
	st, err := r.stocked(m, op, true)
	if err == nil {
		r.last[use] = st
	}
	return st, err
}

// stocked returns the stock of a memory with at least one free buffer. With open, it refuses a memory
// that is being closed.
func (r *Ranges) stocked(m *Memory, op string, open bool) (*stock, error) {
	st := r.stocks[m]
	if st == nil {
		st = &stock{owner: r, mem: m}
	}
	if len(st.free) > 0 {
		return st, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.raw == nil || open && m.Node.phase.Load() != phaseOpen {
		return nil, m.Node.closedError(op)
	}
	if err := st.growLocked(); err != nil {
		return nil, Fail(op, r.link.String(), err, fmt.Sprintf("there is no buffer for a range of %v", m.Node))
	}
	return st, nil
}

// growLocked gets one more buffer from DOCA. The memory is locked, too.
func (st *stock) growLocked() error {
	if st.room == 0 {
		n := max(firstRoom, st.total)
		inv, err := startInventory(n)
		if err != nil {
			return err
		}
		if st.invs == nil { // from now on there is something to give back
			st.owner.stocks[st.mem] = st
			st.mem.stocks = append(st.mem.stocks, st)
		}
		st.invs = append(st.invs, inv)
		st.room, st.total = n, st.total+n
		st.free = slices.Grow(st.free, st.total) // so that Return does not allocate
	}
	m := st.mem
	buf, err := common.BufInventoryBufGetByArgs(st.invs[len(st.invs)-1], m.raw, m.start, uint64(m.size), m.start, 0)
	if err == nil {
		st.room--
		st.free = append(st.free, buf)
	}
	return err
}

// giveBackLocked gives everything back to DOCA. After an error, what is left can be given back
// later; it is not used any more.
func (st *stock) giveBackLocked() error {
	for len(st.free) > 0 {
		last := len(st.free) - 1
		if err := st.mem.takeBack(st.free[last]); err != nil {
			return err
		}
		st.free = st.free[:last]
	}
	for len(st.invs) > 0 {
		last := len(st.invs) - 1
		if err := common.BufInventoryDestroy(nil, st.invs[last]); err != nil {
			return err
		}
		st.invs = st.invs[:last]
		st.room = 0
	}
	st.gone = true
	r := st.owner
	delete(r.stocks, st.mem)
	for i := range r.last {
		if r.last[i] == st {
			r.last[i] = nil
		}
	}
	st.mem.mu.Lock()
	st.mem.stocks = slices.DeleteFunc(st.mem.stocks, func(x *stock) bool { return x == st })
	st.mem.mu.Unlock()
	return nil
}

// Close gives all buffers back to DOCA. No task has one.
func (r *Ranges) Close() error {
	var errs []error
	for _, st := range r.stocks {
		errs = append(errs, st.giveBackLocked())
	}
	return errors.Join(errs...)
}

// retire waits until no task has a buffer of the stock, and gives all of them back to DOCA. The
// memory takes no new operations any more.
func (st *stock) retire(ctx context.Context) error {
	e := st.owner.link.eng
	e.lock()
	defer e.mu.Unlock()
	idle := func() bool {
		st.awaited = st.out > 0
		return !st.awaited
	}
	if err := e.awaitLocked(ctx, idle); err != nil {
		return Fail("close", st.mem.Node.String(), err, "an operation still uses the memory")
	}
	if st.gone { // its context was closed meanwhile
		return nil
	}
	if err := st.giveBackLocked(); err != nil {
		return Fail("close", st.mem.Node.String(), err, "a buffer on it could not be given back: call Close again")
	}
	return nil
}

// retire waits until no operation uses ranges of the memory.
func (m *Memory) retire(ctx context.Context) error {
	for {
		m.mu.Lock()
		n := len(m.stocks)
		if n == 0 {
			m.mu.Unlock()
			return nil
		}
		st := m.stocks[n-1]
		m.mu.Unlock()
		if err := st.retire(ctx); err != nil {
			return err
		}
	}
}
