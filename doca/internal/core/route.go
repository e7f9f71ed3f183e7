package core

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Routes are those that the copies of a batch take; see bind.Routes. Who adds copies finds them without the engine's
// lock, so what the lock guards is apart from that.
type Routes struct {
	ranges *Ranges
	index  []*shelf // by the memories: see find. At most half of it is full
	known  int
	legs   []leg // of this round
	ends   []end // of the legs of this round, each once, in the order in which they came
	round  uint64
	limit  int         // of memories that are known when a round begins
	moved  bool        // the known ones were forgotten: Rewind empties the shelves that they had
	fresh  int         // memories that have come since closed ones were last forgotten
	stale  atomic.Bool // some that are known are to be closed

	// Guarded by the engine's lock.
	stocked []*shelf // those that have buffers
	run     uint64   // counts the calls of Rewind
	at      int      // the leg that Hold has come to
	aimed   []leg    // those of the items that have buffers
	held    int      // where these items end
}

// Route leads from a memory that copies read to one that they write; see bind.Route. The zero value is no route.
type Route struct {
	dst, src extent
	opened   uint64 // what closings was when both were last seen open, or 0
	meets    bool   // a range of src may share bytes with one of dst
}

// extent is where a memory lies.
type extent struct {
	start uintptr
	size  int
}

// leg is a run of items on one route, up to the next leg.
type leg struct {
	dst, src *shelf
	from     int // the first item
}

// end is a memory where a route begins or ends.
type end struct {
	shelf *shelf
	write bool
}

// shelf is a memory that copies of a batch read or write, and the buffers that the batch has on it. Each run gives them out anew, from the
// first one on.
type shelf struct {
	mem   *Memory
	phase *atomic.Int32 // of the memory

	reads, writes uint64 // the last rounds in which a leg began here, and ended here

	// Guarded by the engine's lock.
	stock *stock // the buffers are from
	bufs  []*common.Buf
	next  int    // to be given out
	run   uint64 // in this run; next is 0 in any other one

	_ abi.Apart
}

// Init ties the routes to the ranges of a context. When a round begins, no more than limit memories are known.
func (t *Routes) Init(r *Ranges, limit int) {
	t.ranges, t.limit, t.round = r, limit, 1
	t.legs, t.ends, t.aimed = abi.MakeApart[leg](1)[:0], abi.MakeApart[end](1)[:0], abi.MakeApart[leg](1)[:0]
}

// Ready reports whether Init was called.
func (t *Routes) Ready() bool { return t != nil && t.ranges != nil }

// NoRoute is the error of what needs a route that Find has returned.
func NoRoute(op string) error {
	return Fail(op, "route", abi.ErrorInvalidValue,
		"it is nil or a zero value: call Init of Routes with the Ranges of a context, and pass a route that Find has returned, and the buffers of an item")
}

// Find makes r the route to dst from src, which items take from the given one on.
func (t *Routes) Find(r *Route, dst, src *Memory, item int) {
	d, s := t.shelf(dst), t.shelf(src)
	t.legs = append(t.legs, leg{d, s, item})
	if s.reads != t.round {
		s.reads = t.round
		t.ends = append(t.ends, end{s, false})
	}
	if d.writes != t.round {
		d.writes = t.round
		t.ends = append(t.ends, end{d, true})
	}
	r.dst.start, r.dst.size = dst.start, dst.size
	r.src.start, r.src.size = src.start, src.size
	r.meets = meet(dst, src)
	r.look(d.phase, s.phase)
}

// Forget takes the last Find back: no item takes its route.
func (t *Routes) Forget() {
	last := len(t.legs) - 1
	if last < 0 {
		return
	}
	t.legs = t.legs[:last]
	for k := len(t.ends) - 1; k >= 0 && t.legOf(t.ends[k]) < 0; k-- {
		if e := t.ends[k]; e.write {
			e.shelf.writes = 0
		} else {
			e.shelf.reads = 0
		}
		t.ends = t.ends[:k]
	}
}

// legOf returns the first leg that an end is of, or -1.
func (t *Routes) legOf(e end) int {
	return slices.IndexFunc(t.legs, func(l leg) bool { return e.write && l.dst == e.shelf || !e.write && l.src == e.shelf })
}

// Again reports whether there is nothing for Reset to do but to begin a round.
func (t *Routes) Again() bool { return t.known <= t.limit && !t.stale.Load() }

// Reset begins a round, in which no route has come yet.
func (t *Routes) Reset() {
	t.round++
	t.legs, t.ends = t.legs[:0], t.ends[:0]
	if t.known > t.limit {
		t.index, t.known, t.moved = nil, 0, true
	}
	if t.stale.Load() {
		t.stale.Store(false)
		t.forgetClosed()
	}
}

// forgetClosed forgets the memories that are closed, so that their bytes can be collected, but those of this round.
func (t *Routes) forgetClosed() {
	all := t.index
	t.index, t.known, t.fresh = make([]*shelf, len(all)), 0, 0
	for _, s := range all {
		if s != nil && (s.phase.Load() == phaseOpen || s.reads == t.round || s.writes == t.round) {
			t.enter(s)
		}
	}
	clear(t.legs[len(t.legs):cap(t.legs)])
	clear(t.ends[len(t.ends):cap(t.ends)])
}

// shelf returns the shelf of a memory.
func (t *Routes) shelf(m *Memory) *shelf {
	if len(t.index) > 0 {
		for i := t.slot(m); t.index[i] != nil; i = (i + 1) & (len(t.index) - 1) {
			if s := t.index[i]; s.mem == m {
				return s
			}
		}
	}
	return t.add(m)
}

// slot returns where the search for a shelf begins.
func (t *Routes) slot(m *Memory) int {
	return int(uint64(uintptr(unsafe.Pointer(m)))*0x9e3779b97f4a7c15>>32) & (len(t.index) - 1) // memories do not move
}

// firstIndex is the size of the first index. Each further one has twice the size.
const firstIndex = 16

// add makes the shelf of a memory that is not known.
func (t *Routes) add(m *Memory) *shelf {
	if t.fresh++; t.fresh > t.known/2+firstIndex {
		t.forgetClosed()
	}
	if 2*t.known >= len(t.index) {
		all := t.index
		t.known = 0
		t.index = make([]*shelf, max(firstIndex, 2*len(all)))
		for _, s := range all {
			if s != nil {
				t.enter(s)
			}
		}
	}
	s := &shelf{mem: m, phase: &m.Node.phase}
	t.enter(s)
	return s
}

// enter puts a shelf into the index.
func (t *Routes) enter(s *shelf) {
	t.known++
	i := t.slot(s.mem)
	for t.index[i] != nil {
		i = (i + 1) & (len(t.index) - 1)
	}
	t.index[i] = s
}

// meet reports whether a range of one memory may share bytes with a range of the other, as far as Segment.Overlaps
// compares them.
func meet(a, b *Memory) bool {
	if a == b {
		return true
	}
	if a.imported || b.imported {
		return false
	}
	return a.start < b.start+uintptr(b.size) && b.start < a.start+uintptr(a.size)
}

// Fits reports whether the n bytes that begin at the offsets are within the memories, and whether none has begun to close since these
// were open.
func (r *Route) Fits(dstOff, srcOff, n int) bool {
	dst, src, since := r.dst.size-dstOff, r.src.size-srcOff, int(r.opened-closings.Load())
	return n|dstOff|srcOff|dst|src|(dst-n)|(src-n)|since >= 0 // each is negative if that is wrong; one branch for all of them
}

// Renew looks whether the memories of the route are still open after some have begun to close. It reports whether Fits may
// say something else now.
func (r *Route) Renew(dst, src *Memory) bool {
	before := r.opened
	r.look(&dst.Node.phase, &src.Node.phase)
	return r.opened > before
}

func (r *Route) look(dst, src *atomic.Int32) {
	r.opened = closings.Load() // before the phases, which change first
	if dst.Load() != phaseOpen || src.Load() != phaseOpen {
		r.opened = 0
	}
}

// Src returns the address of the byte at off of the memory that is read.
func (r *Route) Src(off int) uintptr { return r.src.start + uintptr(off) }

// Dst is Src for the memory that is written.
func (r *Route) Dst(off int) uintptr { return r.dst.start + uintptr(off) }

// Overlap reports whether the n bytes at the two addresses share some, as far as they compare.
func (r *Route) Overlap(dst, src uintptr, n int) bool {
	return r.meets && src < dst+uintptr(n) && dst < src+uintptr(n)
}

// Has reports whether Hold can be called for an item.
func (t *Routes) Has(item int) bool { return len(t.legs) > 0 && t.legs[0].from <= item }

// Check checks the memories of all legs of this round. After an error it returns the first item of the first leg that it is of.
func (t *Routes) Check(op string) (int, error) {
	for _, e := range t.ends {
		if err := t.check(e.shelf.mem, op, e.write); err != nil {
			return t.legs[t.legOf(e)].from, err
		}
	}
	return 0, nil
}

func (t *Routes) check(m *Memory, op string, write bool) error {
	link := t.ranges.link
	if m.Node.phase.Load() == phaseOpen && !(write && m.readOnly.Load()) && m.reaches(link.dev) {
		return nil
	}
	return cmp.Or(m.Node.Open(op), m.usable(link, op, m.Node, write))
}

// Aimed reports whether the items before end, or those of them that take routes, have buffers on the memories of their routes.
func (t *Routes) Aimed(end int) bool {
	n := len(t.legs)
	if end > t.held || n > len(t.aimed) || n < len(t.aimed) && t.aimed[n].from < end {
		return false
	}
	return slices.Equal(t.legs, t.aimed[:n])
}

// Rewind has Hold give out all buffers anew.
func (t *Routes) Rewind() {
	if t.moved {
		t.Release(0)
		t.moved = false
	}
	t.run++
	t.at, t.aimed, t.held = 0, append(t.aimed[:0], t.legs...), 0
}

// Hold gives the items whose views these are, of which the first is the given one, buffers on the memories of their routes,
// which Check has checked. It returns how many have got theirs.
func (t *Routes) Hold(first int, v Views, op string) (int, error) {
	src, toDst := unsafe.Pointer(v.src), uintptr(unsafe.Pointer(v.dst))-uintptr(unsafe.Pointer(v.src))
	for i, end := first, first+v.n; i < end; {
		for t.at+1 < len(t.legs) && t.legs[t.at+1].from <= i {
			t.at++
		}
		to := end
		if t.at+1 < len(t.legs) {
			to = min(end, t.legs[t.at+1].from)
		}
		s, d := t.legs[t.at].src, t.legs[t.at].dst
		s.begin(t.run)
		d.begin(t.run)
		for ; i < to; i++ {
			if s.next == len(s.bufs) {
				if err := t.grow(s, op); err != nil {
					return i - first, err
				}
			}
			(*common.BufView)(src).Buf = s.bufs[s.next]
			s.next++
			if d.next == len(d.bufs) {
				if err := t.grow(d, op); err != nil {
					return i - first, err
				}
			}
			(*common.BufView)(unsafe.Add(src, toDst)).Buf = d.bufs[d.next]
			d.next++
			if i+1 < end {
				src = unsafe.Add(src, v.stride)
			}
		}
	}
	t.held = first + v.n
	return v.n, nil
}

// begin has the shelf give out its buffers anew in a run.
func (s *shelf) begin(run uint64) {
	if s.run != run {
		s.run, s.next = run, 0
	}
}

// grow puts one more buffer on a shelf.
func (t *Routes) grow(s *shelf, op string) error {
	st, err := t.ranges.stocked(s.mem, op, true)
	if err != nil {
		return err
	}
	if len(s.bufs) == 0 {
		s.stock = st
		t.stocked = append(t.stocked, s)
	}
	s.bufs = append(s.bufs, st.take())
	return nil
}

// Release takes the buffers back of an item and of all behind it. No task uses them.
func (t *Routes) Release(item int) { t.release(item, false) }

// Recall is Release for the memories that wait for their buffers alone.
func (t *Routes) Recall(item int) { t.release(item, true) }

func (t *Routes) release(item int, wanted bool) {
	for _, s := range t.stocked {
		s.next = 0
	}
	for i, l := range t.aimed { // the items before have the first ones of each shelf
		end := min(t.held, item)
		if i+1 < len(t.aimed) {
			end = min(end, t.aimed[i+1].from)
		}
		if n := end - l.from; n > 0 {
			l.src.next += n
			l.dst.next += n
		}
	}
	for _, s := range t.stocked {
		if wanted && !s.stock.wanted {
			continue
		}
		// There may be items between that take no route. What is left first will be taken first again.
		for last := len(s.bufs) - 1; last >= s.next; last-- {
			t.ranges.giveBack(s.stock, s.bufs[last])
			s.bufs = s.bufs[:last]
		}
	}
	t.stocked = slices.DeleteFunc(t.stocked, func(s *shelf) bool { return len(s.bufs) == 0 })
	if t.held = min(t.held, item); t.held == 0 {
		clear(t.aimed[:cap(t.aimed)])
		t.aimed = t.aimed[:0]
	}
	if wanted {
		t.stale.Store(true)
	}
}
