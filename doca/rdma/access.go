package rdma

import (
	"encoding/binary"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
	genevent "github.com/go-doca/go-doca/generated/syncevent"
)

// access is what one operation works on: an item of a batch before it is in C.
type access struct {
	remote, local bind.Segment
	buf           *doca.Buffer // local, in place of the segment; may head a list
	imm           uint32
	operand       [2]uint64 // of an atomic operation, or of one on a sync event
	event         *syncevent.Remote
	word          []byte // of the local memory: where an event's new value goes, or the result of a single operation comes from
}

// aimRemote checks the range of the peer's memory.
func (a *access) aimRemote(c *conn, mem *doca.Memory, off, n int, op string) error {
	if err := a.remote.Aim(mem, off, n, op); err != nil {
		return err
	}
	if !a.remote.Imported() {
		return c.fail(op, doca.ErrInvalidValue, fmt.Sprintf("%v is not memory of the peer: the peer exports it with ExportRDMA, and ImportMemory makes it here", mem))
	}
	return nil
}

// aimLocal checks the range of local memory.
func (a *access) aimLocal(c *conn, mem *doca.Memory, off, n int, op string) error {
	if err := a.local.Aim(mem, off, n, op); err != nil {
		return err
	}
	return c.fitsMessage(n, op)
}

// aimSource checks a range of local memory that must not be empty: hardware would report success and
// send nothing.
func (a *access) aimSource(c *conn, mem *doca.Memory, off, n int, op string) error {
	if err := a.local.Aim(mem, off, n, op); err != nil {
		return err
	}
	if n == 0 {
		return c.fail(op, doca.ErrInvalidValue, "the source has no data")
	}
	return c.fitsMessage(n, op)
}

// fitsMessage returns an error if n bytes are too many for one operation.
func (c *conn) fitsMessage(n int, op string) error {
	if most := c.r.caps.MaxMessageSize; most > 0 && uint64(n) > uint64(most) {
		return c.tooBig(n, op)
	}
	return nil
}

func (c *conn) tooBig(n int, op string) error {
	return c.fail(op, doca.ErrTooBig, fmt.Sprintf("%d bytes, the device can have up to %d in one operation", n, c.r.caps.MaxMessageSize))
}

// aimAtomic checks the operands of an atomic operation.
func (a *access) aimAtomic(c *conn, mem *doca.Memory, off int, result *doca.Memory, resultOff int, op string) error {
	if err := a.aimRemote(c, mem, off, wordSize, op); err != nil {
		return err
	}
	if err := a.aimWord(c, result, resultOff, op); err != nil {
		return err
	}
	if (mem.Address()+uintptr(off))%wordSize != 0 {
		return c.fail(op, doca.ErrInvalidValue, "the peer's word is not at a multiple of 8 bytes")
	}
	return nil
}

// aimEvent checks the operands of an operation on a sync event.
func (a *access) aimEvent(c *conn, event *syncevent.Remote, mem *doca.Memory, off int, op string) error {
	if event == nil {
		return c.fail(op, doca.ErrInvalidValue, "the sync event is nil: the peer exports it with ExportNet, and syncevent.ImportNet makes it here")
	}
	a.event = event
	return a.aimWord(c, mem, off, op)
}

// aimWord checks the 8 bytes of local memory for a value.
func (a *access) aimWord(c *conn, mem *doca.Memory, off int, op string) error {
	if err := a.local.Aim(mem, off, wordSize, op); err != nil {
		return err
	}
	if a.local.Imported() {
		return c.fail(op, doca.ErrInvalidValue, "the value needs memory of this process")
	}
	bytes := mem.Bytes()
	if bytes == nil { // it was closed meanwhile
		return a.local.Aim(mem, off, wordSize, op)
	}
	a.word = bytes[off:][:wordSize]
	return nil
}

// wordSize is the size of what atomic operations and sync events work on, in bytes.
const wordSize = 8

// fillLocked makes the item at index i of an operation that of an access. The buffers on ranges stay
// with the item until they are released.
func (o *op) fillLocked(i int, a *access) error {
	raw, name, r := o.conn.raw, o.info().name, &o.conn.r.ranges
	local, remote := &o.held[2*i], &o.held[2*i+1]
	var err error
	switch o.kind {
	case kindWrite:
		item := (*gen.TaskWriteItem)(o.item(i))
		item.RDMAConnection = raw
		if err = o.readLocked(&item.SrcBuf, local, a); err == nil {
			err = r.Write(&item.DstBuf, remote, a.remote, name)
		}
	case kindWriteImm:
		item := (*gen.TaskWriteImmItem)(o.item(i))
		item.RDMAConnection, item.ImmediateData = raw, bigEndian(a.imm)
		if err = o.readLocked(&item.SrcBuf, local, a); err == nil {
			err = r.Write(&item.DstBuf, remote, a.remote, name)
		}
	case kindRead:
		item := (*gen.TaskReadItem)(o.item(i))
		item.RDMAConnection = raw
		if err = o.writeLocked(&item.DstBuf, local, a); err == nil {
			err = r.Read(&item.SrcBuf, remote, a.remote, name)
		}
	case kindSend:
		item := (*gen.TaskSendItem)(o.item(i))
		item.RDMAConnection = raw
		err = o.readLocked(&item.SrcBuf, local, a)
	case kindSendImm:
		item := (*gen.TaskSendImmItem)(o.item(i))
		item.RDMAConnection, item.ImmediateData = raw, bigEndian(a.imm)
		err = o.readLocked(&item.SrcBuf, local, a)
	case kindCompareAndSwap:
		item := (*gen.TaskAtomicCmpSwpItem)(o.item(i))
		item.RDMAConnection, item.CmpData, item.SwapData = raw, a.operand[0], a.operand[1]
		if err = o.writeLocked(&item.ResultBuf, local, a); err == nil {
			err = r.Write(&item.DstBuf, remote, a.remote, name)
		}
	case kindFetchAdd:
		item := (*gen.TaskAtomicFetchAddItem)(o.item(i))
		item.RDMAConnection, item.AddData = raw, a.operand[0]
		if err = o.writeLocked(&item.ResultBuf, local, a); err == nil {
			err = r.Write(&item.DstBuf, remote, a.remote, name)
		}
	case kindEventGet:
		item := (*gen.TaskRemoteNetSyncEventGetItem)(o.item(i))
		item.RDMAConnection = raw
		if err = o.writeLocked(&item.DstBuf, local, a); err == nil {
			item.Event, err = o.holdLocked(i, a.event)
		}
	case kindEventSet:
		item := (*gen.TaskRemoteNetSyncEventNotifySetItem)(o.item(i))
		item.RDMAConnection = raw
		if err = o.readLocked(&item.SrcBuf, local, a); err == nil {
			binary.NativeEndian.PutUint64(a.word, a.operand[0])
			item.Event, err = o.holdLocked(i, a.event)
		}
	case kindEventAdd:
		item := (*gen.TaskRemoteNetSyncEventNotifyAddItem)(o.item(i))
		item.RDMAConnection, item.AddData = raw, a.operand[0]
		if err = o.writeLocked(&item.ResultBuf, local, a); err == nil {
			item.Event, err = o.holdLocked(i, a.event)
		}
	}
	return err
}

// holdLocked makes the item at index i use a sync event until the end of the run.
func (o *op) holdLocked(i int, event *syncevent.Remote) (*genevent.RemoteNet, error) {
	raw, err := syncevent.HoldRemote(o.c.link, event)
	if err == nil {
		o.events[i] = event
	}
	return raw, err
}

// freeEventsLocked takes the sync events back from the items.
func (o *op) freeEventsLocked() {
	for i, event := range o.events {
		if event != nil {
			syncevent.ReleaseRemote(o.c.link, event)
			o.events[i] = nil
		}
	}
}

// releaseLocked takes the buffers back that the item at index i has on ranges.
func (o *op) releaseItemLocked(i int) {
	r, local, remote := &o.c.ranges, &o.held[2*i], &o.held[2*i+1]
	switch o.kind {
	case kindWrite:
		item := (*gen.TaskWriteItem)(o.item(i))
		r.Release(&item.DstBuf, remote)
		r.Release(&item.SrcBuf, local)
	case kindWriteImm:
		item := (*gen.TaskWriteImmItem)(o.item(i))
		r.Release(&item.DstBuf, remote)
		r.Release(&item.SrcBuf, local)
	case kindRead:
		item := (*gen.TaskReadItem)(o.item(i))
		r.Release(&item.SrcBuf, remote)
		r.Release(&item.DstBuf, local)
	case kindSend:
		r.Release(&(*gen.TaskSendItem)(o.item(i)).SrcBuf, local)
	case kindSendImm:
		r.Release(&(*gen.TaskSendImmItem)(o.item(i)).SrcBuf, local)
	case kindCompareAndSwap:
		item := (*gen.TaskAtomicCmpSwpItem)(o.item(i))
		r.Release(&item.DstBuf, remote)
		r.Release(&item.ResultBuf, local)
	case kindFetchAdd:
		item := (*gen.TaskAtomicFetchAddItem)(o.item(i))
		r.Release(&item.DstBuf, remote)
		r.Release(&item.ResultBuf, local)
	case kindEventGet:
		r.Release(&(*gen.TaskRemoteNetSyncEventGetItem)(o.item(i)).DstBuf, local)
	case kindEventSet:
		r.Release(&(*gen.TaskRemoteNetSyncEventNotifySetItem)(o.item(i)).SrcBuf, local)
	case kindEventAdd:
		r.Release(&(*gen.TaskRemoteNetSyncEventNotifyAddItem)(o.item(i)).ResultBuf, local)
	}
}

// readLocked gives an item the local buffer that is read: a range, the program's buffer or, for a
// message without data, none.
func (o *op) readLocked(v *common.BufView, h *bind.Held, a *access) error {
	if a.buf == nil && a.local.Len() > 0 {
		return o.c.ranges.Read(v, h, a.local, o.info().name)
	}
	o.c.ranges.Release(v, h)
	*v = common.BufView{}
	if a.buf != nil {
		return o.claimLocked(v, a, false)
	}
	return nil
}

// writeLocked gives an item the local buffer that is written to: a range or the program's buffer.
func (o *op) writeLocked(v *common.BufView, h *bind.Held, a *access) error {
	if a.buf == nil {
		return o.c.ranges.Write(v, h, a.local, o.info().name)
	}
	o.c.ranges.Release(v, h)
	return o.claimLocked(v, a, true)
}

// claimLocked claims the program's buffer for the operation, checks its length, and fills in the
// length of the remote range.
func (o *op) claimLocked(v *common.BufView, a *access, write bool) error {
	name := o.info().name
	add := o.claim.Read
	if write {
		add = o.claim.Write
	}
	if err := add(a.buf); err != nil {
		return err
	}
	if _, err := o.claim.Begin(name); err != nil {
		return err
	}
	o.claimed = true
	if n, most := o.claim.Elements(0), o.c.maxListLen; n > most {
		return o.conn.fail(name, doca.ErrInvalidValue, fmt.Sprintf("the list has %d buffers, the context is configured for up to %d: set Config.MaxListLen", n, most))
	}
	n := a.remote.Len()
	if write {
		room := 0
		o.segments = o.claim.Segments(o.segments[:0], 0, n)
		for _, s := range o.segments {
			room += s.Len()
		}
		if room < n {
			return o.conn.fail(name, doca.ErrInvalidValue, fmt.Sprintf("%d bytes are read, the buffer has room for %d", n, room))
		}
		o.claim.SetLen(0, n)
	} else {
		size := 0
		o.segments = o.claim.Segments(o.segments[:0], 0, 0)
		for _, s := range o.segments {
			size += s.Len()
		}
		if size == 0 {
			return o.conn.fail(name, doca.ErrInvalidValue, "the source's data segment is empty: call SetData on it")
		}
		if err := o.conn.fitsMessage(size, name); err != nil {
			return err
		}
		if o.kind == kindWrite || o.kind == kindWriteImm {
			if size > n {
				return o.conn.fail(name, doca.ErrInvalidValue, fmt.Sprintf("the source has %d bytes, the peer's memory %d from there on", size, n))
			}
		}
	}
	*v = o.claim.View(0)
	return nil
}

// bigEndian returns the bytes of a number in network byte order, as a number of this machine; and
// the other way round.
func bigEndian(n uint32) common.Be32 {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return binary.NativeEndian.Uint32(b[:])
}
