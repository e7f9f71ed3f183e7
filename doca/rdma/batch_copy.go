package rdma

import (
	"math"
	"unsafe"

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
	routes bind.Routes
	filled int // writes of the list that a run has filled in: the first ones
}

// copyRange is a copy between two ranges, which are within their memories.
type copyRange struct {
	dst, src uintptr // addresses
	n        int     // bytes
}

// maxMemories is how many memories a batch remembers from one Reset to the next. It allocates for further ones.
const maxMemories = 4096

// limit sets the number of bytes of a copy; 0: any.
func (c *copies) limit(most uint32) {
	if c.most = uint64(most); most == 0 {
		c.most = math.MaxInt
	}
}

func (c *copies) reset() {
	c.list, c.filled = c.list[:0], 0
	c.routes.Reset()
}

// copy adds a write or a read. It checks the range of a copy on the route of the one before; all others are newCopy's.
func (b *Batch) copy(k kind, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if b == nil || b.b == nil || dst == nil || b.dst != dst || b.src != src {
		return b.newCopy(k, dst, dstOff, src, srcOff, n)
	}
	in := b.b
	c := &in.copies
	i := len(c.list)
	if in.kind != k || in.ran || in.closed || i >= cap(c.list) || uint64(n-1) >= c.most {
		return b.newCopy(k, dst, dstOff, src, srcOff, n)
	}
	r := &b.route
	if !r.Fits(dstOff, srcOff, n) {
		return b.newCopy(k, dst, dstOff, src, srcOff, n)
	}
	c.list = c.list[:i+1]
	c.list[i] = copyRange{r.Dst(dstOff), r.Src(srcOff), n}
	return nil
}

// newCopy is copy for any memories, and says what is wrong with a copy.
func (b *Batch) newCopy(k kind, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if err := b.room(k); err != nil {
		return err
	}
	remote, remoteOff, local, localOff := dst, dstOff, src, srcOff
	if k == kindRead {
		remote, remoteOff, local, localOff = local, localOff, remote, remoteOff
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
		c.routes.Init(&b.conn.c.r.ranges, maxMemories)
	}
	if len(c.list) == cap(c.list) {
		c.list = grown(c.list, b.b.most)
	}
	if b.dst != dst || b.src != src {
		b.mems = append(b.mems, dst, src)
		c.routes.Find(&b.route, dst, src, len(c.list))
		b.dst, b.src = dst, src
	} else {
		b.route.Renew(dst, src)
	}
	c.list = append(c.list, copyRange{b.route.Dst(dstOff), b.route.Src(srcOff), n})
	return nil
}

// fillCopiesLocked makes the items those of the copies of a batch. What is right already stays. After an error it returns the copy
// that is wrong.
func (o *op) fillCopiesLocked(c *copies) (int, error) {
	name := o.info().name
	if i, err := c.routes.Check(name); err != nil {
		return i, err
	}
	ready := c.routes.Aimed(len(c.list))
	if !ready {
		o.aimedFor = nil
		c.routes.Rewind()
		if i, err := c.routes.Hold(0, o.viewsLocked(len(c.list)), name); err != nil {
			return i, err
		}
	}
	if ready && o.err == nil && o.aimedFor == o.conn.raw {
		o.same = abi.SameBuffers
	}
	switch {
	case o.kind == kindRead:
		o.fillReadsLocked(c)
	case o.same == abi.SameBuffers && c.filled == len(c.list) && o.c.leavesTargetLocked(o.targetLocked(), c.list[0].dst):
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
		item.SrcBuf.Data, item.SrcBuf.Len = at.src, uint64(at.n)
		item.DstBuf.Data, item.DstBuf.Len = at.dst, 0
	}
}

func (o *op) fillWritesLocked(c *copies) {
	raw := o.conn.raw
	for i := range c.list {
		at, item := &c.list[i], (*gen.TaskWriteItem)(o.item(i))
		item.RDMAConnection = raw
		item.SrcBuf.Data, item.SrcBuf.Len = at.src, uint64(at.n)
		item.DstBuf.Data, item.DstBuf.Len = at.dst, 0
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

// viewsLocked returns the buffers of the first n items, which are those of writes or of reads.
func (o *op) viewsLocked(n int) bind.Views {
	if o.kind == kindWrite {
		items := itemsOf[gen.TaskWriteItem](o, n)
		return bind.ViewsOf(items, &items[0].SrcBuf, &items[0].DstBuf)
	}
	items := itemsOf[gen.TaskReadItem](o, n)
	return bind.ViewsOf(items, &items[0].SrcBuf, &items[0].DstBuf)
}

// itemsOf returns the first n items, of which there is at least one.
func itemsOf[T any](o *op, n int) []T { return unsafe.Slice((*T)(o.item(0)), n) }
