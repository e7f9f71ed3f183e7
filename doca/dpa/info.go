package dpa

import (
	"runtime"

	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// Info describes a DPA.
type Info struct {
	AppName             string // of the application
	Cores               int
	EUsPerCore          int // execution units of a core
	EUs                 int // execution units that the program may use
	MaxThreadsPerKernel int
	KernelMaxRunTime    uint64 // how long a kernel may run, in a unit that DOCA does not name; on the emulator in milliseconds
}

// Info returns what DOCA says about the DPA. Errors: [ErrFatal]; a [*doca.StateError] if the context is closed. Calls doca_dpa_get_core_num and its
// like, and doca_dpa_app_get_name.
func (d *DPA) Info() (Info, error) {
	const op = "get info"
	if d == nil || d.c == nil {
		return Info{}, noDPA(op)
	}
	defer runtime.KeepAlive(d)
	var out Info
	err := d.c.do(op, d.c.name, func(raw *common.DPA) (err error) {
		for _, q := range []struct {
			to  *int
			get func(*common.DPA) (uint32, error)
		}{
			{&out.Cores, gen.GetCoreNum}, {&out.EUsPerCore, gen.GetNumEUsPerCore},
			{&out.EUs, gen.GetTotalNumEUsAvailable}, {&out.MaxThreadsPerKernel, gen.GetMaxThreadsPerKernel},
		} {
			n, err := q.get(raw)
			if err != nil {
				return err
			}
			*q.to = int(n)
		}
		if out.KernelMaxRunTime, err = gen.GetKernelMaxRunTime(raw); err != nil {
			return err
		}
		out.AppName, err = gen.AppGetName(d.app)
		return err
	})
	return out, err
}

// Handle returns the handle of the context for device code, which chooses its device with doca_dpa_dev_device_set. It is valid until
// Close. Errors: [ErrFatal]; a [*doca.StateError] if the context is closed. Calls doca_dpa_get_dpa_handle.
func (d *DPA) Handle() (h dpadev.DPADev, err error) {
	const op = "get DPA handle"
	if d == nil || d.c == nil {
		return 0, noDPA(op)
	}
	defer runtime.KeepAlive(d)
	err = d.c.do(op, d.c.name, func(raw *common.DPA) (err error) {
		h, err = gen.GetDPAHandle(raw)
		return err
	})
	return h, err
}

// UARID returns the number of the context's page for doorbells, for programs that use the device below DOCA. Errors: [ErrFatal]; a
// [*doca.StateError] if the context is closed. Calls doca_dpa_get_uar_id.
func (d *DPA) UARID() (id uint32, err error) {
	const op = "get UAR"
	if d == nil || d.c == nil {
		return 0, noDPA(op)
	}
	defer runtime.KeepAlive(d)
	err = d.c.do(op, d.c.name, func(raw *common.DPA) (err error) {
		id, err = gen.GetUARID(raw)
		return err
	})
	return id, err
}
