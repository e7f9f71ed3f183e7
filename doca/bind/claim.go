package bind

import (
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Claim is the right of an operation's tasks to use a set of buffers. Call Init once. Say
// which buffers with Reset, Read and Write, or with Pairs. For each run call Begin, submit the tasks, call
// Submitted, and call End when the tasks have ended. If no task could be submitted, call
// Cancel in place of Submitted. BeginPairs is for pairs that change from run to run.
//
// A claim that was made with keep stays on its buffers between runs, until somebody else
// changes or uses one of them. Running such a claim again costs next to nothing for each
// buffer.
//
// Begin, BeginPairs, Submitted, Cancel, End, and what is called between them need the lock of the
// context's [Link]. Before Init, and for buffers that the claim does not have, methods return
// errors, zero values, or do nothing.
type Claim core.Claim

// Init ties the claim to a context. Set keep if the claim will run many times.
// It does nothing if link is nil or a zero value.
func (c *Claim) Init(link *Link, keep bool) {
	if c != nil && link.made() {
		c.in().Init(&link.l, keep)
	}
}

// in returns the inner part. Those of its methods that are called for each operation take nil, and a
// claim without Init; so the compiler can inline what is here.
func (c *Claim) in() *core.Claim { return (*core.Claim)(c) }

// ready reports whether Init was called.
func (c *Claim) ready() bool { return c.in().Ready() }

// at reports whether there is a buffer i.
func (c *Claim) at(i int) bool { return c.ready() && i >= 0 && i < c.in().Len() }

// Reset removes all buffers. The claim must not be active. If the same buffers are then added in the same
// order to a claim that was made with keep, the next run costs less than one with others.
func (c *Claim) Reset() {
	if c.ready() {
		c.in().Reset()
	}
}

// Len returns the number of buffers.
func (c *Claim) Len() int {
	if !c.ready() {
		return 0
	}
	return c.in().Len()
}

// Has reports whether buffer i is b.
func (c *Claim) Has(i int, b *doca.Buffer) bool { return c.in().Has(i, bufferOf(b)) }

// Read adds a buffer that the tasks read: its data segment, or those of the list that it
// heads. It returns ErrInvalidValue for nil.
func (c *Claim) Read(b *doca.Buffer) error {
	return c.in().Read(bufferOf(b))
}

// Write adds a buffer that the tasks fill from the start of its region, or the list that it
// heads. It returns ErrInvalidValue for nil.
func (c *Claim) Write(b *doca.Buffer) error {
	return c.in().Write(bufferOf(b))
}

// Pairs makes buffers those of the claim, in place of all that it has: the source of a task, its destination, the source
// of the next one, and so on. Each task reads its source and writes to its destination, as Read and Write say. If they are those that a
// claim made with keep had before, in the same order, the next run costs less than one with others. Pairs returns
// ErrInvalidValue if one of them is nil or a zero value. Then the claim has none.
func (c *Claim) Pairs(bufs []*doca.Buffer) error {
	in := c.in()
	if err := in.SetPairs(len(bufs) &^ 1); err != nil {
		return err
	}
	for i := range in.Len() {
		b := bufferOf(bufs[i])
		if b == nil {
			return in.NoBuffer(i)
		}
		in.Put(i, b)
	}
	return nil
}

// BeginPairs does what Pairs and Begin do. If this claim, or another one of its context, was the last one on each of the buffers, and
// nobody has changed them since, BeginPairs does in the same go what Aim does for all of them, and aimed is true. Otherwise call
// Aim. items and most are those for Aim. Without buffers there is nothing to begin, nor to submit, cancel or end. The errors are
// those of Pairs and Begin.
func (c *Claim) BeginPairs(op string, bufs []*doca.Buffer, items Views, most uint64) (same, aimed bool, err error) {
	in := c.in()
	if in.PairsAgain(*(*[]*core.BufferHandle)(unsafe.Pointer(&bufs)), items.v, most) { // a buffer begins with that
		return false, true, nil
	}
	if err = c.Pairs(bufs); err == nil && in.Len() > 0 {
		same, err = in.Begin(op)
	}
	return same, false, err
}

// Begin claims the buffers for a run and locks their inventories until Submitted or Cancel.
// op names the operation in errors. same reports that nothing about the buffers has changed
// since the last run, nor was Reset or Pairs called.
//
// Begin returns ErrInUse if another operation uses a buffer in a way that excludes this
// one, ErrNotPermitted if a buffer is inside a list or is written to on memory that devices
// may only read, ErrInvalidValue if the context's
// device cannot reach the memory of a buffer, and a [*doca.StateError] if a buffer is
// closed.
func (c *Claim) Begin(op string) (same bool, err error) {
	return c.in().Begin(op)
}

// Kept reports whether a claim that was made with keep is still on its buffers, since its last run. If not, BeginPairs may cost less than
// Begin. It needs no lock, and what it says may change at any time.
func (c *Claim) Kept() bool { return c.ready() && c.in().Kept() }

// Moved reports whether nothing about the buffers has changed since the last run but data segments that SetData of
// package doca has set. Call it between Begin and Submitted.
func (c *Claim) Moved() bool { return c.ready() && c.in().Moved() }

// Submitted unlocks what Begin locked. all says that every task was submitted with the
// views of this claim, so that DOCA knows the data segments now. Pass false if some items of
// a batch wait for a task.
func (c *Claim) Submitted(all bool) { c.in().Submitted(all) }

// Cancel takes a Begin back that has succeeded, because no task was submitted. After a Begin that has failed there is
// nothing to take back: then it must not be called.
func (c *Claim) Cancel() {
	if c.ready() {
		c.in().Cancel()
	}
}

// End ends the run after its tasks have ended. failed reports for each written buffer, by
// number, whether writing it failed; nil means that nothing failed.
func (c *Claim) End(failed func(i int) bool) { c.in().End(failed) }

// Apart says that the tasks of this run do not use the claimed buffers themselves, but
// ranges of their memories; see [Ranges].
func (c *Claim) Apart() {
	if c.ready() {
		c.in().Apart()
	}
}

// SetLen sets the number of bytes that a run writes to buffer i.
func (c *Claim) SetLen(i, n int) {
	if c.at(i) {
		c.in().SetLen(i, n)
	}
}

// View returns what a batch submission needs to know about buffer i: DOCA's object, and the
// data segment unless DOCA knows it already. Call it between Begin and Submitted.
func (c *Claim) View(i int) common.BufView {
	return (*core.Claim)(c).View(i)
}

// WriteLen returns the number of bytes that a run writes to buffer i, as Aim or SetLen has said.
func (c *Claim) WriteLen(i int) int {
	if !c.at(i) {
		return 0
	}
	return c.in().WriteLen(i)
}

// Views are those of the two buffers of tasks, in items of a batch.
type Views struct{ v core.Views }

// ViewsOf returns the views of items, which are in C memory: src and dst are those of the first item.
func ViewsOf[T any](items []T, src, dst *common.BufView) Views {
	if src == nil || dst == nil {
		return Views{}
	}
	return Views{core.ViewsOf(items, src, dst)}
}

// Aim is for tasks that write all of their source to the start of their destination: a short way for what Elements, Segments,
// [Overlap], SetLen and View do for each of the two. It fills in the views of items with the buffers of Pairs, of which the first
// item gets those of the given pair. It returns for how many items it did so: all of them, or those before the first pair of
// which one of the buffers heads a list, the source has no data or more than most bytes, the destination has no room for
// them, or which share bytes. Do for that pair what is said above, and go on with the next one. Call Aim between Begin and
// Submitted, for the pairs in their order.
func (c *Claim) Aim(pair int, items Views, most uint64) int { return c.in().Aim(pair, items.v, most) }

// DataLen returns the number of bytes in the data segments of buffer i, or of the list that it heads.
// Refuse a source without data where the library would report success for it. Call it between Begin
// and Submitted.
func (c *Claim) DataLen(i int) int {
	if !c.at(i) {
		return 0
	}
	return c.in().DataLen(i)
}

// Elements returns the number of buffers in the list that buffer i heads; 1 if it is alone.
func (c *Claim) Elements(i int) int {
	if !c.at(i) {
		return 0
	}
	return c.in().Elements(i)
}

// Segments appends to out the segments that are read of buffer i, or those of the first n
// bytes that can be written to it: one for each buffer of its list that takes part.
func (c *Claim) Segments(out []Segment, i, n int) []Segment {
	for k := range c.Elements(i) {
		s := c.in().Segment(i, k, n)
		n -= s.N
		if s.N > 0 {
			out = append(out, Segment{s})
		}
	}
	return out
}

// IsBuffer reports whether b is neither nil nor a zero value.
func IsBuffer(b *doca.Buffer) bool { return bufferOf(b) != nil }

// bufferOf returns the inner part of a buffer, or nil for nil.
func bufferOf(b *doca.Buffer) *core.Buffer {
	if b == nil {
		return nil
	}
	return core.BufferOf((*core.BufferHandle)(unsafe.Pointer(b))) // it begins with that
}
