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
	recall func()
	stocks map[*Memory]*stock
	wanted int // stocks whose memory waits to be closed
}

// Held says which stock the buffer of an item is from. The zero value: the item has none.
type Held struct{ stock *stock }

// of reports whether the item has a buffer on a memory.
func (h *Held) of(m *Memory) bool { return h.stock != nil && h.stock.mem == m }

// stock has the buffers of a context on a memory. Each covers the whole memory, and any task can have
// any of them: where its data begins is told to DOCA with each submission. While some are out, the
// memory is in use and is not closed.
type stock struct {
	owner  *Ranges
	mem    *Memory
	room   int // buffers that the inventories can still give
	total  int // and those that they could give at first
	invs   []*common.BufInventory
	free   []*common.Buf
	out    int  // buffers that items and shelves have
	wanted bool // the memory waits until none is out
	gone   bool // everything was given back to DOCA
}

// firstRoom is the size of a stock's first inventory. Each further one doubles the stock.
const firstRoom = 8

// Init ties the ranges to a context.
func (r *Ranges) Init(link *Link, recall func()) {
	r.link, r.recall, r.stocks = link, recall, map[*Memory]*stock{}
}

// Read gives an item a buffer whose data is a range, for a task that reads it. See bind.Ranges for
// this method and those that follow.
func (r *Ranges) Read(v *common.BufView, h *Held, s Segment, op string) error {
	if v == nil || h == nil || s.N == 0 || !h.of(s.Memory) || s.Memory.Node.phase.Load() != phaseOpen {
		if err := r.change(v, h, s, op, false); err != nil {
			return err
		}
	}
	v.Data, v.Len = s.Memory.start+uintptr(s.off), uint64(s.N)
	return nil
}

// Write gives an item a buffer that a task fills from the start of a range.
func (r *Ranges) Write(v *common.BufView, h *Held, s Segment, op string) error {
	if v == nil || h == nil || s.Memory == nil || !h.of(s.Memory) || s.Memory.readOnly.Load() || s.Memory.Node.phase.Load() != phaseOpen {
		if err := r.change(v, h, s, op, true); err != nil {
			return err
		}
	}
	v.Data, v.Len = s.Memory.start+uintptr(s.off), 0
	return nil
}

// Part is Read or Write for a further task of an operation that has the memory already, by a buffer
// that it got here or claimed. It works also while the memory is being closed, which waits for the
// operation.
func (r *Ranges) Part(v *common.BufView, h *Held, s Segment, op string, write bool) error {
	if !r.ready(v, h, s) {
		return noRange(op)
	}
	if err := r.take(v, h, s.Memory, op, false); err != nil {
		return err
	}
	v.Data, v.Len = s.Memory.start+uintptr(s.off), uint64(s.N)
	if write {
		v.Len = 0
	}
	return nil
}

// Release takes back the buffer that an item has, if it has one. No task uses it.
func (r *Ranges) Release(v *common.BufView, h *Held) {
	if r == nil || v == nil || h == nil || h.stock == nil {
		return
	}
	r.giveBack(h.stock, v.Buf)
	v.Buf, h.stock = nil, nil
}

// giveBack puts a buffer that take has returned back into its stock.
func (r *Ranges) giveBack(st *stock, buf *common.Buf) {
	st.free = append(st.free, buf)
	st.out--
	if st.wanted && st.out == 0 {
		st.wanted = false
		r.wanted--
		r.link.eng.changedLocked()
	}
}

// Wanted reports whether a memory waits for buffers to be released.
func (r *Ranges) Wanted() bool { return r.wanted > 0 }

// Ready reports whether Init was called.
func (r *Ranges) Ready() bool { return r != nil && r.link != nil }

// ready reports whether Init was called, and whether there is an item and a segment.
func (r *Ranges) ready(v *common.BufView, h *Held, s Segment) bool {
	return r.Ready() && v != nil && h != nil && s.Memory != nil
}

func noRange(op string) error {
	return Fail(op, "range", abi.ErrorInvalidValue,
		"it is nil or a zero value: call Init of Ranges with the Link of a context, pass the buffer of an item with its Held, and Aim the Segment")
}

// change gives an item a buffer on the memory of a range that is to be used, after it has checked the
// range.
func (r *Ranges) change(v *common.BufView, h *Held, s Segment, op string, write bool) error {
	if !r.ready(v, h, s) {
		return noRange(op)
	}
	m := s.Memory
	if err := m.Node.Open(op); err != nil {
		return err
	}
	if !write && s.N == 0 {
		return Fail(op, r.link.String(), abi.ErrorInvalidValue, "the range that is read is empty")
	}
	if err := m.usable(r.link, op, m.Node, write); err != nil {
		return err
	}
	return r.take(v, h, m, op, true)
}

// take gives an item a buffer on a memory.
func (r *Ranges) take(v *common.BufView, h *Held, m *Memory, op string, open bool) error {
	if h.of(m) {
		return nil
	}
	st, err := r.stocked(m, op, open)
	if err != nil {
		return err
	}
	r.Release(v, h)
	v.Buf, h.stock = st.take(), st
	return nil
}

// take returns one of the free buffers, of which there must be one.
func (st *stock) take() *common.Buf {
	last := len(st.free) - 1
	buf := st.free[last]
	st.free = st.free[:last]
	st.out++
	return buf
}

// stocked returns the stock of a memory with at least one free buffer. With open, it refuses a memory
// that is being closed.
func (r *Ranges) stocked(m *Memory, op string, open bool) (*stock, error) {
	st := m.stock.Load()
	if st == nil || st.owner != r {
		if st = r.stocks[m]; st == nil {
			st = &stock{owner: r, mem: m}
		}
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
			st.mem.stock.CompareAndSwap(nil, st)
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
	delete(st.owner.stocks, st.mem)
	st.mem.mu.Lock()
	st.mem.stocks = slices.DeleteFunc(st.mem.stocks, func(x *stock) bool { return x == st })
	st.mem.stock.CompareAndSwap(st, nil)
	st.mem.mu.Unlock()
	return nil
}

// Close gives all buffers back to DOCA. No item has one.
func (r *Ranges) Close() error {
	var errs []error
	for _, st := range r.stocks {
		errs = append(errs, st.giveBackLocked())
	}
	return errors.Join(errs...)
}

// retire waits until no item has a buffer of the stock, and gives all of them back to DOCA. The memory
// takes no new operations any more.
func (st *stock) retire(ctx context.Context) error {
	r := st.owner
	e := r.link.eng
	if err := e.lockFor(ctx); err != nil {
		return st.mem.Node.Fail("close", err, engineBusy)
	}
	defer e.mu.Unlock()
	if !st.wanted && st.out > 0 {
		st.wanted = true
		r.wanted++
		if r.recall != nil {
			r.recall()
		}
	}
	if err := e.awaitLocked(ctx, func() bool { return st.out == 0 }); err != nil {
		return st.mem.Node.Fail("close", err, "an operation still uses the memory")
	}
	if st.wanted {
		st.wanted = false
		r.wanted--
	}
	if st.gone { // its context was closed meanwhile
		return nil
	}
	if err := st.giveBackLocked(); err != nil {
		return st.mem.Node.Fail("close", err, "a buffer on it could not be given back: call Close again")
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
