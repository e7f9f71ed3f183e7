package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Claim is the right of an operation's tasks to use a set of buffers. It is for
// packages that bind DOCA libraries. The order of calls is: Init once; Reset, Read and
// Write to say which buffers; and then for each run Begin, the submission, Submitted,
// and End when the tasks have ended; or Cancel in place of Submitted. All but Init,
// Reset, Read and Write are called with the lock of the context's engine held.
//
// A claim that is used again with the same buffers costs next to nothing per buffer if
// it was made with keep: it stays on the buffers between runs, until somebody else
// changes or uses one of them.
type Claim struct{ c core.Claim }

// Init ties the claim to a context. keep is for claims that are run many times.
func (c *Claim) Init(link *Link, keep bool) { c.c.Init(&link.l, keep) }

// Reset takes all buffers out of a claim that is not active.
func (c *Claim) Reset() { c.c.Reset() }

// Len returns the number of buffers added.
func (c *Claim) Len() int { return c.c.Len() }

// Has tells whether buffer i is b.
func (c *Claim) Has(i int, b *doca.Buffer) bool { return c.c.Has(i, bufferOf(b)) }

// Read adds a buffer, or the list it heads, whose data segment is read.
func (c *Claim) Read(b *doca.Buffer) error { return c.c.Read(bufferOf(b)) }

// Write adds a buffer, or the list it heads, that is filled from the start of its
// region.
func (c *Claim) Write(b *doca.Buffer) error { return c.c.Write(bufferOf(b)) }

// Begin claims the buffers for a run and keeps their inventories locked until
// Submitted or Cancel. same says that nothing about the buffers has changed since the
// last run. Errors: ErrInUse for a buffer that another operation uses in a way that
// excludes this one, ErrNotPermitted for one inside a list, ErrInvalidValue for one on
// memory that the context's device cannot reach, and a [*StateError] for one that is
// closed.
func (c *Claim) Begin(op string) (same bool, err error) { return c.c.Begin(op) }

// Submitted ends the locking that Begin began. all says that every task was submitted,
// with the views of this claim.
func (c *Claim) Submitted(all bool) { c.c.Submitted(all) }

// Cancel takes Begin back: no task was submitted.
func (c *Claim) Cancel() { c.c.Cancel() }

// End ends the run: the tasks have ended. failed tells by the number of the buffer
// which of those written were not; nil is that all were.
func (c *Claim) End(failed func(i int) bool) { c.c.End(failed) }

// Apart says that the tasks of this run do not use the claimed buffers themselves but
// parts of them (see [Parts]).
func (c *Claim) Apart() { c.c.Apart() }

// SetLen says how many bytes buffer i gets if it is written.
func (c *Claim) SetLen(i, n int) { c.c.SetLen(i, n) }

// View returns what a batch submission needs to know of buffer i: DOCA's object, and
// the data segment if DOCA does not know it yet. It is called between Begin and
// Submitted.
func (c *Claim) View(i int) common.BufView { return c.c.View(i) }

// Elements returns the number of buffers in the list that buffer i heads.
func (c *Claim) Elements(i int) int { return c.c.Elements(i) }

// Segments appends to out what is read of buffer i, or the first n bytes of what can
// be written of it, one segment for each buffer of its list that takes part.
func (c *Claim) Segments(out []Segment, i, n int) []Segment {
	for k := range c.c.Elements(i) {
		s := c.c.Segment(i, k, n)
		n -= s.N
		if s.N > 0 {
			out = append(out, Segment{s})
		}
	}
	return out
}

// bufferOf returns the inner part of a buffer; nil for nil.
func bufferOf(b *doca.Buffer) *core.Buffer {
	if b == nil {
		return nil
	}
	return core.BufferOf(b)
}
