package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// Routes are those that the copies of a batch take from memory to memory, and the buffers on these memories that the items
// of the batch get. A batch with ranges of many memories checks each range with [Route.Src] and [Route.Dst] as it comes, each memory once for each run,
// and gives out the buffers of the last run again, whatever memories the items had then. [Ranges] has
// the methods for a single range.
//
// Init comes first, and the context's Ranges must outlive the routes. Find, Forget, Reset and the methods of Route belong to the goroutine
// that adds copies, and do not need the lock of the context's [Link]. Release and Recall need the lock, and Check, Rewind and Hold need both.
// None of them blocks.
type Routes core.Routes

// Route leads from a memory that copies read to one that they write. It belongs to the [Routes] that have returned it, and is valid
// until their next Reset. It does not keep the handles of the memories alive. The zero value is no route.
type Route core.Route

// Init ties the routes to the ranges of a context. Routes keep what they know about no more than limit memories from one round to the
// next. It does nothing if ranges is nil or a zero value.
func (t *Routes) Init(ranges *Ranges, limit int) {
	if t != nil && ranges != nil && ranges.in().Ready() {
		t.in().Init(ranges.in(), limit)
	}
}

// Find makes r the route to dst from src. The items of the batch take it from the given one on, up to that of the next Find. It
// reports false, and leaves r as it is, if one of the memories is nil or a zero value.
func (t *Routes) Find(r *Route, dst, src *doca.Memory, item int) bool {
	to, from := memoryOf(dst), memoryOf(src)
	if r == nil || to == nil || from == nil || !t.in().Ready() {
		return false
	}
	t.in().Find((*core.Route)(r), to, from, item)
	return true
}

// Forget takes back the last Find that has returned a route: no item takes it.
func (t *Routes) Forget() {
	if t != nil {
		t.in().Forget()
	}
}

// Again reports whether a batch may take the routes of this round for the copies of the next one, too, and call Reset only when one of
// these needs another route.
func (t *Routes) Again() bool { return t.in().Ready() && t.in().Again() }

// Reset begins a round: no copy has a route yet.
func (t *Routes) Reset() {
	if t != nil {
		t.in().Reset()
	}
}

// Fits reports whether the n bytes that begin at the offsets are within the memories. It is also false if a memory has begun to close
// since Find or Renew, even another one.
func (r *Route) Fits(dstOff, srcOff, n int) bool {
	return r != nil && (*core.Route)(r).Fits(dstOff, srcOff, n)
}

// Renew is for a range that does not fit. It looks whether the memories of the route are still open, and reports whether
// Fits has to be asked again.
func (r *Route) Renew(dst, src *doca.Memory) bool {
	to, from := memoryOf(dst), memoryOf(src)
	return r != nil && to != nil && from != nil && (*core.Route)(r).Renew(to, from)
}

// Src returns the address of the byte at off of the memory that is read, for a range that fits; 0 if r is nil.
func (r *Route) Src(off int) uintptr {
	if r == nil {
		return 0
	}
	return (*core.Route)(r).Src(off)
}

// Dst is Src for the memory that is written.
func (r *Route) Dst(off int) uintptr {
	if r == nil {
		return 0
	}
	return (*core.Route)(r).Dst(off)
}

// Overlap reports whether the n bytes at the addresses dst and src share some. Memory of different processes does not compare; see
// the function [Overlap].
func (r *Route) Overlap(dst, src uintptr, n int) bool {
	return r != nil && (*core.Route)(r).Overlap(dst, src, n)
}

// Check checks the memories of all routes since Reset for a run. After an error, which is as those of [Ranges.Read] and [Ranges.Write] for the
// memories, it returns the first item that takes the route.
func (t *Routes) Check(op string) (item int, err error) {
	if !t.in().Ready() {
		return 0, core.NoRoute(op)
	}
	return t.in().Check(op)
}

// Aimed reports whether the items before end have, as far as they take routes, buffers on the right memories from an earlier run, so
// that Rewind and Hold need not be called.
func (t *Routes) Aimed(end int) bool { return t.in().Ready() && t.in().Aimed(end) }

// Rewind begins to give out the buffers: all items that take routes must get others, in their order.
func (t *Routes) Rewind() {
	if t.in().Ready() {
		t.in().Rewind()
	}
}

// Hold gives items, of which the first is the given one, buffers on the memories of their routes, and returns how many have got theirs. The
// routes were checked since the lock was taken. Where the data begins, and
// how much is read, is the caller's to set: it is what Src and Dst have returned. The errors are those of DOCA.
func (t *Routes) Hold(first int, views Views, op string) (int, error) {
	if !t.in().Ready() || !t.in().Has(first) {
		return 0, core.NoRoute(op)
	}
	return t.in().Hold(first, views.v, op)
}

// Release takes the buffers back that an item and all behind it have. No task uses them any more.
func (t *Routes) Release(item int) {
	if t.in().Ready() {
		t.in().Release(max(item, 0))
	}
}

// Recall is Release for the memories alone that wait to be closed: it is for the function that [Ranges.Init] gets, and for the end of a run
// if [Ranges.Wanted] says so.
func (t *Routes) Recall(item int) {
	if t.in().Ready() {
		t.in().Recall(max(item, 0))
	}
}

// in returns the inner part; nil for nil.
func (t *Routes) in() *core.Routes { return (*core.Routes)(t) }
