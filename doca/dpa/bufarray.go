package dpa

import (
	"context"
	"runtime"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
)

// BufArrayConfig holds the options of a BufArray. Memory, Elements and Size are mandatory.
type BufArrayConfig struct {
	Memory   *doca.Memory // registered with the DPA's device, or made by Memory.Map; it is closed after the array
	Elements int          // buffers
	Size     int          // bytes of each
	Offset   int          // of the first one in the memory
}

// BufArray is an array of buffers of the same size in a memory, for device code. Its memory and the DPA own it. Any goroutine may use it.
type BufArray struct {
	*child
	o *object[*common.BufArr]
}

// NewBufArray creates an array of buffers and starts it. Errors: ErrInvalidValue for a wrong BufArrayConfig, such as buffers that do not fit the memory;
// ErrNotFound if the memory is not registered with the DPA's device; [ErrFatal]; a [*doca.StateError] if the DPA or the memory is closed. Calls doca_buf_arr_create, doca_buf_arr_set_params,
// doca_buf_arr_set_target_dpa and doca_buf_arr_start.
func (d *DPA) NewBufArray(cfg BufArrayConfig) (*BufArray, error) {
	const op = "create buffer array"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	if cfg.Elements < 1 || cfg.Size < 1 || cfg.Offset < 0 {
		return nil, wrong(op, d.c.name, "Elements is %d, Size %d and Offset %d", cfg.Elements, cfg.Size, cfg.Offset)
	}
	if _, err := bind.RawMemory(cfg.Memory); err != nil {
		return nil, err
	}
	if n := cfg.Memory.Len(); cfg.Offset > n || cfg.Elements > (n-cfg.Offset)/cfg.Size {
		return nil, wrong(op, d.c.name, "no %d buffers of %d bytes at offset %d of %v", cfg.Elements, cfg.Size, cfg.Offset, cfg.Memory)
	}
	destroy := func(a *common.BufArr) error { return common.BufArrDestroy(nil, a) }
	child, o, err := newObject(d, place{kind: "dpa buffer array", owners: owners(cfg.Memory), late: true}, func(raw *common.DPA) (a *common.BufArr, err error) {
		err = bind.UseMemory(cfg.Memory, d.dev, op, func(mmap *common.Mmap, _ *common.Dev) (err error) {
			if a, err = common.BufArrCreate(uint64(cfg.Elements)); err != nil {
				return err
			}
			a, err = steps(a,
				func() error { return common.BufArrSetParams(a, mmap, uint64(cfg.Size), uint64(cfg.Offset)) },
				func() error { return common.BufArrSetTargetDPA(a, raw) },
				func() error { return common.BufArrStart(nil, a) })
			return err
		})
		return a, err
	}, destroy)
	if err != nil {
		return nil, err
	}
	return &BufArray{child, o}, nil
}

// Handle returns the handle for device code, valid until Close. Errors: [ErrFatal]; a [*doca.StateError] if a is closed. Calls doca_buf_arr_get_dpa_handle.
func (a *BufArray) Handle() (common.DPADevBufArr, error) {
	const op = "get DPA handle"
	if a == nil || a.o == nil {
		return 0, noBufArray(op)
	}
	defer runtime.KeepAlive(a)
	return got(a.o, op, common.BufArrGetDPAHandle)
}

// Close closes the array; its memory remains. Closing a closed one is no error. Calls doca_buf_arr_destroy.
func (a *BufArray) Close() error { return a.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (a *BufArray) Shutdown(ctx context.Context) error {
	if a == nil || a.o == nil {
		return noBufArray("close")
	}
	return a.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (a *BufArray) String() string {
	if a == nil || a.o == nil {
		return "no dpa buffer array"
	}
	return a.o.name
}

func owners(o ...bind.Owner) []bind.Owner { return o }
