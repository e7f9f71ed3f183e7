package rdma

import (
	"math"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// copies are the operations of a batch of writes or reads. What is the same for all ranges of a memory is looked at once for each
// run: the memory, and what may be done with it.
type copies struct {
	most   uint64 // bytes of one
	list   []copyRange
	groups []copyGroup
	filled int // writes of the list that a run has filled in: the first ones
}

// copyRange is a copy between two ranges, which are within their memories.
type copyRange struct {
	remote, local uintptr // addresses
	n             int     // bytes
}

// copyGroup is a run of copies on the same memories.
type copyGroup struct {
	n             int // copies
	remote, local bind.Bounds
}

// limit sets the number of bytes of a copy; 0: any.
func (c *copies) limit(most uint32) {
	if c.most = uint64(most); most == 0 {
		c.most = math.MaxInt
	}
}

func (c *copies) reset() { c.list, c.groups, c.filled = c.list[:0], c.groups[:0], 0 }

// copy adds a write or a read. It checks the range of a copy on the memories of the one before; all others are newCopy's.
func (b *Batch) copy(k kind, remote *doca.Memory, remoteOff int, local *doca.Memory, localOff, n int) error {
	if b == nil || b.b == nil || remote == nil || b.remote != remote || b.local != local {
		return b.newCopy(k, remote, remoteOff, local, localOff, n)
	}
	in := b.b
	c := &in.copies
	i := len(c.list)
	if in.kind != k || in.ran || in.closed || i >= cap(c.list) || uint64(n-1) >= c.most {
		return b.newCopy(k, remote, remoteOff, local, localOff, n)
	}
	g := &c.groups[len(c.groups)-1]
	to, ok := g.remote.At(remoteOff, n)
	if !ok {
		return b.newCopy(k, remote, remoteOff, local, localOff, n)
	}
	from, ok := g.local.At(localOff, n)
	if !ok {
		return b.newCopy(k, remote, remoteOff, local, localOff, n)
	}
	c.list = c.list[:i+1]
	c.list[i] = copyRange{to, from, n}
	g.n++
	return nil
}

// newCopy is copy for any memories, and says what is wrong with a copy.
func (b *Batch) newCopy(k kind, remote *doca.Memory, remoteOff int, local *doca.Memory, localOff, n int) error {
	if err := b.room(k); err != nil {
		return err
	}
	var a access
	name := kinds[k].name
	if err := a.aimSource(b.conn.c, local, localOff, n, name); err != nil {
		return err
	}
	if err := a.aimRemote(b.conn.c, remote, remoteOff, n, name); err != nil {
		return err
	}
	c := &b.b.copies
	if c.list == nil {
		c.list, c.groups = abi.MakeApart[copyRange](b.b.most)[:0:b.b.most], abi.MakeApart[copyGroup](1)[:0]
	}
	if b.remote != remote || b.local != local {
		c.groups = append(c.groups, copyGroup{})
		g := &c.groups[len(c.groups)-1]
		g.remote.Init(remote)
		g.local.Init(local)
		b.mems = append(b.mems, remote, local)
		b.remote, b.local = remote, local
	}
	g := &c.groups[len(c.groups)-1]
	to, _ := g.remote.At(remoteOff, n) // they are within; a memory that is closed by now is an error of the run
	from, _ := g.local.At(localOff, n)
	c.list = append(c.list, copyRange{to, from, n})
	g.n++
	return nil
}

// checkLocked checks the memories for a run, once for each group. After an error it returns the first copy of the group.
func (o *op) checkLocked(c *copies) (first int, err error) {
	name, r := o.info().name, &o.c.ranges
	for i := range c.groups {
		g := &c.groups[i]
		if err = r.CheckAll(&g.local, name, o.kind == kindRead); err == nil {
			err = r.CheckAll(&g.remote, name, o.kind == kindWrite)
		}
		if err != nil {
			return first, err
		}
		first += g.n
	}
	return 0, nil
}

// aimedLikeLocked reports whether the items have buffers on the memories of the copies. There may be more such items.
func (o *op) aimedLikeLocked(groups []copyGroup) bool {
	last := len(groups) - 1
	if last >= len(o.aimed) {
		return false
	}
	was := o.aimed[last]
	was.n = min(was.n, groups[last].n)
	return was == groups[last] && slices.Equal(o.aimed[:last], groups[:last])
}

// fillCopiesLocked makes the items those of the copies of a batch. What is right already stays. After an error it returns the copy
// that is wrong.
func (o *op) fillCopiesLocked(c *copies) (int, error) {
	if i, err := o.checkLocked(c); err != nil {
		return i, err
	}
	ready := o.aimedLikeLocked(c.groups)
	if !ready {
		o.aimedFor = nil
		if i, err := o.holdLikeLocked(c.groups); err != nil {
			return i, err
		}
	}
	if ready && o.err == nil && o.aimedFor == o.conn.raw {
		o.same = abi.SameBuffers
	}
	switch {
	case o.kind == kindRead:
		o.fillReadsLocked(c)
	case o.same == abi.SameBuffers && c.filled == len(c.list) && o.c.leavesTargetLocked(o.targetLocked(), c.list[0].remote):
		o.same = abi.SameItems
	default:
		o.fillWritesLocked(c)
	}
	return 0, nil
}

func (o *op) fillReadsLocked(c *copies) {
	raw := o.conn.raw
	for i := range c.list {
		at, item := &c.list[i], (*gen.TaskReadItem)(o.item(i))
		item.RDMAConnection = raw
		item.SrcBuf.Data, item.SrcBuf.Len = at.remote, uint64(at.n)
		item.DstBuf.Data, item.DstBuf.Len = at.local, 0
	}
}

func (o *op) fillWritesLocked(c *copies) {
	raw := o.conn.raw
	for i := range c.list {
		at, item := &c.list[i], (*gen.TaskWriteItem)(o.item(i))
		item.RDMAConnection = raw
		item.SrcBuf.Data, item.SrcBuf.Len = at.local, uint64(at.n)
		item.DstBuf.Data, item.DstBuf.Len = at.remote, 0
	}
	c.filled = len(c.list)
}

// targetLocked returns the destination of the first write.
func (o *op) targetLocked() *common.Buf { return (*gen.TaskWriteItem)(o.item(0)).DstBuf.Buf }

// leavesTargetLocked reports whether a write leaves the data segment of its destination as it was, so that it can be submitted again
// without another look. DOCA does not say that it does, so the first destination that was written to is asked.
func (c *core) leavesTargetLocked(dst *common.Buf, addr uintptr) bool {
	if !c.asked {
		at, err := common.BufGetData(dst)
		n, errLen := common.BufGetDataLen(dst)
		c.asked, c.leaves = true, err == nil && errLen == nil && at == addr && n == 0
	}
	return c.leaves
}

// holdLikeLocked gives the items buffers on the memories of the copies.
func (o *op) holdLikeLocked(groups []copyGroup) (int, error) {
	o.aimed = o.aimed[:0]
	name, r, i := o.info().name, &o.c.ranges, 0
	for k := range groups {
		g := &groups[k]
		for range g.n {
			local, remote := o.viewsLocked(i)
			err := r.Hold(local, &o.held[2*i], &g.local, name)
			if err == nil {
				err = r.Hold(remote, &o.held[2*i+1], &g.remote, name)
			}
			if err != nil {
				return i, err
			}
			i++
		}
	}
	o.aimed = append(o.aimed, groups...)
	return 0, nil
}

// viewsLocked returns the buffers of the item at index i, which is that of a write or a read.
func (o *op) viewsLocked(i int) (local, remote *common.BufView) {
	if o.kind == kindWrite {
		item := (*gen.TaskWriteItem)(o.item(i))
		return &item.SrcBuf, &item.DstBuf
	}
	item := (*gen.TaskReadItem)(o.item(i))
	return &item.DstBuf, &item.SrcBuf
}
