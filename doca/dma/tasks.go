package dma

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// tasksInC is what C needs to know of the tasks, in its own memory: for each slot the slot
// itself, and a batch of one item for when the task works for a single copy.
type tasksInC struct {
	slots   []abi.Slot
	one     []abi.Batch
	item    []gen.TaskMemcpyItem
	pointer []*abi.Slot
}

func (t *tasksInC) alloc(n int) (err error) {
	if t.slots, err = abi.Alloc[abi.Slot](n); err != nil {
		return err
	}
	if t.one, err = abi.Alloc[abi.Batch](n); err != nil {
		return err
	}
	if t.item, err = abi.Alloc[gen.TaskMemcpyItem](n); err != nil {
		return err
	}
	if t.pointer, err = abi.Alloc[*abi.Slot](n); err != nil {
		return err
	}
	for i := range n {
		t.pointer[i] = &t.slots[i]
		t.one[i].User, t.one[i].Items = abi.Data(i), unsafe.Pointer(&t.item[i])
	}
	return nil
}

// free gives the memory back, also what a failed alloc has left.
func (t *tasksInC) free() {
	abi.Free(t.slots)
	abi.Free(t.one)
	abi.Free(t.item)
	abi.Free(t.pointer)
	*t = tasksInC{}
}

// submitOne submits the task of slot i for its own item.
func (t *tasksInC) submitOne(i int32) error {
	t.one[i].Count = 1
	return gen.TaskMemcpySubmitBatch(&t.one[i], t.pointer[i:i+1])
}
