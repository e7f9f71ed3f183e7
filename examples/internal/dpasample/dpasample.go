// Package dpasample has what the twins of NVIDIA's samples with RDMA on the DPA share: the flags, the devices with their DPA, and what
// one side of a connection has there.
package dpasample

import (
	"context"
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// notSet is the name of a device that is not given.
const notSet = "NOT_SET"

// Config is what the flags say.
type Config struct {
	pfDevice, rdmaDevice string
	gidIndex             int
}

// NewConfig adds the flags to a parser.
func NewConfig(p *argp.Parser) *Config {
	cfg := &Config{pfDevice: notSet, rdmaDevice: notSet, gidIndex: -1}
	p.String(&cfg.pfDevice, argp.Param{Short: "pf_dev", Long: "pf-device", Help: "Name of the IB device with the DPA; any unless given"})
	p.String(&cfg.rdmaDevice, argp.Param{Short: "rdma_dev", Long: "rdma-device", Help: "Name of the IB device for RDMA; the same unless given"})
	p.Int(&cfg.gidIndex, 0, argp.Param{Short: "g", Long: "gid-index", Help: "GID index"})
	return cfg
}

// DPA is a DPA with the sample's kernels.
type DPA struct {
	*dpa.DPA                // runs the kernels
	RDMA     *dpa.DPA       // for what is on the device for RDMA; the same one, or extended to it
	Select   dpadev.DPADev  // that RDMA's, for doca_dpa_dev_device_set; 0: not needed
	GIDIndex *uint32        // nil: not given
	memories []*doca.Memory // of NewMemory
	threads  []*dpa.Thread  // what the DPA uses: a handle that nobody has any more is reported as a leak
	args     []*dpa.Memory  // the same
	devices  []*doca.Device // to close
}

// Run opens the devices, runs f with a DPA that has the kernels of app, and closes everything.
func Run(ctx context.Context, cfg *Config, app *dpa.App, f func(ctx context.Context, d *DPA) error) (err error) {
	d := &DPA{}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.open(cfg, app); err != nil {
		return err
	}
	return f(ctx, d)
}

func (d *DPA) open(cfg *Config, app *dpa.App) (err error) {
	dev, err := d.device(cfg.pfDevice, dpa.Supported)
	if err != nil {
		return err
	}
	if d.DPA, err = dpa.New(dev, dpa.Config{App: app}); err != nil {
		return err
	}
	if cfg.gidIndex >= 0 {
		index := uint32(cfg.gidIndex)
		d.GIDIndex = &index
	}
	d.RDMA = d.DPA
	if cfg.rdmaDevice == notSet || cfg.rdmaDevice == cfg.pfDevice {
		return nil
	}
	if dev, err = d.device(cfg.rdmaDevice, rdma.Supported); err != nil {
		return err
	}
	if d.RDMA, err = d.Extend(dev); err != nil {
		return err
	}
	d.Select, err = d.RDMA.Handle()
	return err
}

// device opens the device with this name, or any that passes the check.
func (d *DPA) device(name string, check func(doca.DeviceInfo) error) (*doca.Device, error) {
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool {
		return check(info) == nil && (name == notSet || name == info.Ibdev)
	})
	if err == nil {
		d.devices = append(d.devices, dev)
	}
	return dev, err
}

// close closes the DPA with all that belongs to it, then the memories and the devices.
func (d *DPA) close() (err error) {
	if d.DPA != nil {
		err = d.DPA.Close()
	}
	for _, m := range d.memories {
		err = errors.Join(err, m.Close())
	}
	for _, dev := range d.devices {
		err = errors.Join(err, dev.Close())
	}
	d.threads, d.args = nil, nil
	return err
}

// NewMemory makes memory of the host that the device for RDMA can use, and returns its handle for device code.
func (d *DPA) NewMemory(size int) (*doca.Memory, common.DPADevMmap, error) {
	mem, err := doca.NewMemory(size, doca.MemoryConfig{
		Devices: []*doca.Device{d.RDMA.Device()},
		Access:  doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite,
	})
	if err != nil {
		return nil, 0, err
	}
	d.memories = append(d.memories, mem)
	handle, err := d.RDMA.MmapHandle(mem)
	return mem, handle, err
}

// NewThread makes a thread whose argument is the address of args, which has the size that a T needs.
func NewThread[T any](d *DPA, f dpa.Func) (thread *dpa.Thread, args *dpa.Memory, err error) {
	var none T
	if args, err = dpa.Place(d.DPA, none); err != nil {
		return nil, nil, err
	}
	d.args = append(d.args, args)
	if thread, err = d.DPA.NewThread(dpa.ThreadConfig{Func: f, Arg: uint64(args.Addr())}); err != nil {
		return nil, nil, err
	}
	d.threads = append(d.threads, thread)
	return thread, args, nil
}

// NewEnd makes an event that the DPA sets and the program waits for.
func (d *DPA) NewEnd() (*syncevent.Event, dpadev.SyncEvent, error) {
	end, err := syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.DPA, DPA: d.DPA})
	if err != nil {
		return nil, 0, err
	}
	handle, err := end.DPAHandle(d.DPA)
	return end, handle, err
}

// RDMA is an RDMA context on the DPA with its completions.
type RDMA struct {
	*rdma.DPARDMA
	completion *dpa.Completion
	Handle     dpadev.RDMA
	Completion dpadev.Completion
}

// NewRDMA makes a context whose completions wake a thread.
func (d *DPA) NewRDMA(thread *dpa.Thread) (r *RDMA, err error) {
	r = &RDMA{}
	if r.completion, err = d.RDMA.NewCompletion(dpa.CompletionConfig{Thread: thread}); err != nil {
		return nil, err
	}
	if r.Completion, err = r.completion.Handle(); err != nil {
		return nil, errors.Join(err, r.completion.Close())
	}
	cfg := rdma.DPAConfig{Completion: r.completion, GIDIndex: d.GIDIndex, GRH: true}
	if r.DPARDMA, err = rdma.NewOnDPA(d.RDMA, cfg); err != nil {
		return nil, errors.Join(err, r.completion.Close())
	}
	r.Handle, err = r.DPARDMA.Handle()
	return r, err
}
