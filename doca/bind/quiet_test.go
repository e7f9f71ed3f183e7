package bind_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
)

// copying is a binding with a task, and a batch of two copies for it.
type copying struct {
	binding
	recs  []abi.Record
	items []dma.TaskMemcpyItem
	batch []abi.Batch
	slots []abi.Slot
}

func newCopying(t *testing.T, r *doctest.Rig) *copying {
	b := new(copying)
	cfg := b.config(r)
	create := cfg.Create
	cfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		ctx, err := create(dev, link)
		if err == nil {
			err = dma.TaskMemcpySetConfBatched(b.raw, 1)
		}
		return ctx, err
	}
	cfg.Handle = func(recs []abi.Record) {
		b.recs = append(b.recs, recs...)
		for i := range recs {
			if recs[i].Args[0] == 0 {
				b.link.Finished(1)
			}
		}
	}
	cfg.Release = func() { common.TaskFree((*common.Task)(b.slots[0].Task)) }
	c := must(bind.NewContext(cfg))(t)
	b.items = must(abi.Alloc[dma.TaskMemcpyItem](2))(t)
	b.batch = must(abi.Alloc[abi.Batch](1))(t)
	b.slots = must(abi.Alloc[abi.Slot](1))(t)
	t.Cleanup(func() {
		check(t, c.Close())
		abi.Free(b.items)
		abi.Free(b.batch)
		abi.Free(b.slots)
	})
	require.NoError(t, c.Start(t.Context()))
	src, dst := must(bind.RawBuffer(r.Src))(t), must(bind.RawBuffer(r.Dst))(t)
	memcpy := must(dma.TaskMemcpyAllocInit(b.raw, src, dst, b.slots[0].Data()))(t)
	b.slots[0].Typed, b.slots[0].Task = unsafe.Pointer(memcpy), unsafe.Pointer(must(dma.TaskMemcpyAsTask(memcpy))(t))
	from, to := r.Src.Bytes(), r.Dst.Bytes()
	for i := range b.items {
		b.items[i].Src = common.BufView{Buf: src, Data: uintptr(unsafe.Pointer(&from[0])), Len: uint64(len(from))}
		b.items[i].Dst = common.BufView{Buf: dst, Data: uintptr(unsafe.Pointer(&to[0]))}
	}
	b.batch[0].Items, b.batch[0].Count = unsafe.Pointer(&b.items[0]), 2
	return b
}

// run submits the batch, and waits until it has ended. It returns the Quiet that the submission leaves, and the records.
func (b *copying) run(t *testing.T, quiet uint32, step bool, release func()) (uint32, []abi.Record) {
	b.link.LockAlways()
	defer b.link.Unlock()
	batch := &b.batch[0]
	b.recs, batch.Quiet, batch.Step = nil, quiet, nil
	if step {
		batch.Step = b.link.BeginStep()
		require.NotNil(t, batch.Step)
	}
	check(t, dma.TaskMemcpySubmitBatch(batch, []*abi.Slot{&b.slots[0]}))
	b.link.Submitted(1)
	release()
	quiet = batch.Quiet
	if quiet == abi.QuietlyEnded {
		b.link.Finished(1)
	}
	if step {
		b.link.EndStep()
	}
	for batch.Pending > 0 {
		b.link.Step()
	}
	return quiet, b.recs
}

// A batch leaves no record if it ends in its step, without a failure, and its submission has asked for that. Else it leaves one.
func TestQuietEnd(t *testing.T) {
	for _, c := range []struct {
		name, faults string
		quiet        uint32
		step         bool
		want         uint32
		records      []abi.Error
	}{
		{"in the step", "", abi.QuietEnd, true, abi.QuietlyEnded, nil},
		{"not asked for", "", 0, true, 0, []abi.Error{abi.Success}},
		{"without a step", "", abi.QuietEnd, false, 0, []abi.Error{abi.Success}},
		{"after the step", "hold-tasks", abi.QuietEnd, true, 0, []abi.Error{abi.Success}},
		{"a failure", "fail-task=2", abi.QuietEnd, true, 0, []abi.Error{abi.ErrorIOFailed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			b := newCopying(t, r)
			if c.faults != "" {
				doctest.Faults(t, c.faults)
			}
			quiet, recs := b.run(t, c.quiet, c.step, func() {
				if c.faults == "hold-tasks" {
					emulator.ClearFaults()
				}
			})
			assert.Equal(t, c.want, quiet)
			var ends []abi.Error
			for i := range recs {
				ends = append(ends, recs[i].Status)
			}
			assert.Equal(t, c.records, ends)
			if c.faults != "fail-task=2" {
				assert.Equal(t, r.Src.Bytes(), r.Dst.Bytes())
			}
		})
	}
}
