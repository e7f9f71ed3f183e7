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
	ranges  *Ranges
	index   []*Route // by the memories: see find. At most half of it is full
	known   int
	shelves map[*Memory]*shelf
	legs    []leg    // of this round
	used    []*Route // in this round, in the order in which they came
	round   uint64
	limit   int  // of routes that are known when a round begins
	moved   bool // the known ones were forgotten: Rewind empties the shelves that they had

	// Guarded by the engine's lock.
	stocked []*shelf // those that have buffers
	at      int      // the leg that Hold has come to
	aimed   []leg    // those of the items that have buffers
	held    int      // where these items end
}

// Route leads from a memory that copies read to one that they write; see bind.Route.
type Route struct {
	dst, src bounds
	meets    bool   // a range of src may share bytes with one of dst
	round    uint64 // the last one in which it was asked for

	_ abi.Apart
}

// leg is a run of items on one route, up to the next leg.
type leg struct {
	route *Route
	from  int // the first item
}

// bounds are what ranges of a memory are checked against.
type bounds struct {
	start uintptr
	size  uint
	phase *atomic.Int32
	shelf *shelf
}

// shelf has the buffers that a batch has on a memory. Each run gives them out anew, from the first one on.
type shelf struct {
	mem   *Memory
	stock *stock // they are from; guarded by the engine's lock, like all below
	bufs  []*common.Buf
	next  int

	_ abi.Apart
}

// Init ties the routes to the ranges of a context. When a round begins, no more than limit routes are known.
func (t *Routes) Init(r *Ranges, limit int) {
	*t = Routes{ranges: r, limit: limit, round: 1}
	t.legs, t.used, t.aimed = abi.MakeApart[leg](1)[:0], abi.MakeApart[*Route](1)[:0], abi.MakeApart[leg](1)[:0]
}

// Ready reports whether Init was called.
func (t *Routes) Ready() bool { return t != nil && t.ranges != nil }

// NoRoute is the error of what needs a route that Find has returned.
func NoRoute(op string) error {
	return Fail(op, "route", abi.ErrorInvalidValue,
		"it is nil or a zero value: call Init of Routes with the Ranges of a context, and pass a route that Find has returned, and the buffers of an item")
}

// Find returns the route to dst from src, which items take from the given one on.
func (t *Routes) Find(dst, src *Memory, item int) *Route {
	r := t.find(dst, src)
	if r == nil {
		r = t.add(dst, src)
	}
	t.legs = append(t.legs, leg{r, item})
	if r.round != t.round {
		r.round = t.round
		t.used = append(t.used, r)
	}
	return r
}

// Forget takes the last Find back: no item takes its route.
func (t *Routes) Forget() {
	last := len(t.legs) - 1
	if last < 0 {
		return
	}
	r := t.legs[last].route
	t.legs = t.legs[:last]
	if k := len(t.used) - 1; t.used[k] == r && !slices.ContainsFunc(t.legs, func(l leg) bool { return l.route == r }) {
		r.round, t.used = 0, t.used[:k]
	}
}

// Reset begins a round, in which no route has come yet.
func (t *Routes) Reset() {
	t.round++
	t.legs, t.used = t.legs[:0], t.used[:0]
	if t.known > t.limit {
		t.index, t.known, t.shelves, t.moved = nil, 0, nil, true
	}
}

// find returns a route that is known.
func (t *Routes) find(dst, src *Memory) *Route {
	if len(t.index) == 0 {
		return nil
	}
	for i := t.place(dst, src); ; i = (i + 1) & (len(t.index) - 1) {
		if r := t.index[i]; r == nil || r.dst.shelf.mem == dst && r.src.shelf.mem == src {
			return r
		}
	}
}

// place returns where the search for a route begins.
func (t *Routes) place(dst, src *Memory) int {
	h := (uint64(uintptr(unsafe.Pointer(dst)))*3 + uint64(uintptr(unsafe.Pointer(src)))) * 0x9e3779b97f4a7c15 // memories do not move
	return int(h>>32) & (len(t.index) - 1)
}

// firstIndex is the size of the first index. Each further one has twice the size.
const firstIndex = 16

// add makes a route that is not known.
func (t *Routes) add(dst, src *Memory) *Route {
	if 2*t.known >= len(t.index) {
		all := t.index
		t.index = make([]*Route, max(firstIndex, 2*len(all)))
		for _, r := range all {
			if r != nil {
				t.enter(r)
			}
		}
	}
	r := &Route{dst: t.bounds(dst), src: t.bounds(src), meets: meet(dst, src)}
	t.enter(r)
	t.known++
	return r
}

// enter puts a route into the index.
func (t *Routes) enter(r *Route) {
	i := t.place(r.dst.shelf.mem, r.src.shelf.mem)
	for t.index[i] != nil {
		i = (i + 1) & (len(t.index) - 1)
	}
	t.index[i] = r
}

func (t *Routes) bounds(m *Memory) bounds {
	s := t.shelves[m]
	if s == nil {
		if t.shelves == nil {
			t.shelves = map[*Memory]*shelf{}
		}
		s = &shelf{mem: m}
		t.shelves[m] = s
	}
	return bounds{m.start, uint(m.size), &m.Node.phase, s}
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

// Src returns the address of the n bytes that begin at off of the memory that is read, and whether they are within it and it is open.
func (r *Route) Src(off, n int) (uintptr, bool) { return r.src.at(off, n) }

// Dst is Src for the memory that is written.
func (r *Route) Dst(off, n int) (uintptr, bool) { return r.dst.at(off, n) }

func (b *bounds) at(off, n int) (uintptr, bool) {
	return b.start + uintptr(off), uint(off) <= b.size && uint(n) <= b.size-uint(off) && b.phase != nil && b.phase.Load() == phaseOpen
}

// Overlap reports whether the n bytes at the two addresses share some, as far as they compare.
func (r *Route) Overlap(dst, src uintptr, n int) bool {
	return r.meets && src < dst+uintptr(n) && dst < src+uintptr(n)
}

// Has reports whether Hold can be called for an item.
func (t *Routes) Has(item int) bool { return len(t.legs) > 0 && t.legs[0].from <= item }

// Check checks the memories of all routes of this round. After an error it returns the first item that takes the route.
func (t *Routes) Check(op string) (int, error) {
	for _, r := range t.used {
		err := t.check(r.src.shelf.mem, op, false)
		if err == nil {
			err = t.check(r.dst.shelf.mem, op, true)
		}
		if err != nil {
			return t.legs[slices.IndexFunc(t.legs, func(l leg) bool { return l.route == r })].from, err
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
	for _, s := range t.stocked {
		s.next = 0
	}
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
		r := t.legs[t.at].route
		s, d := r.src.shelf, r.dst.shelf
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
func (t *Routes) Release(item int) {
	for _, s := range t.stocked {
		s.next = 0
	}
	for i, l := range t.aimed { // the items before have the first ones of each shelf
		end := min(t.held, item)
		if i+1 < len(t.aimed) {
			end = min(end, t.aimed[i+1].from)
		}
		if n := end - l.from; n > 0 {
			l.route.src.shelf.next += n
			l.route.dst.shelf.next += n
		}
	}
	for _, s := range t.stocked {
		s.next = min(s.next, len(s.bufs))                     // there may be items between that take no route
		for last := len(s.bufs) - 1; last >= s.next; last-- { // the first one will be taken first again
			t.ranges.giveBack(s.stock, s.bufs[last])
			s.bufs = s.bufs[:last]
		}
	}
	t.stocked = slices.DeleteFunc(t.stocked, func(s *shelf) bool { return len(s.bufs) == 0 })
	t.held = min(t.held, item)
}
