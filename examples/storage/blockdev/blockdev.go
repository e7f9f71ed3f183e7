// Package blockdev makes a block device of a storage on another machine, which a program on a host with a BlueField reads and
// writes like a file: it is an io.ReaderAt and an io.WriterAt. The BlueField and the other machine run the programs
// comch_to_rdma_zero_copy and target_rdma, ours or NVIDIA's.
package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/initiator"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
)

// The defaults of the fields of a Config.
const (
	DefaultChannel = "doca_storage_comch"
	DefaultTimeout = control.DefaultTimeout
	DefaultQueues  = 1
	DefaultDepth   = 32
	DefaultMaxIO   = 64 << 10
)

// maxMemory is the size of the memory for requests in flight, in bytes, at most.
const maxMemory = 1 << 31

// ErrClosed means that the device was used after its Close.
var ErrClosed = errors.New("blockdev: the device is closed")

// Config holds the options of a device. Only Device has no default.
type Config struct {
	Device  string        // a PCI address, or the name of an IB device or of a network interface
	Channel string        // name of the BlueField's server
	Timeout time.Duration // of each step of the control path, and of the time in which requests are in flight and none ends

	// Queues is the number of queues, each of which has a thread, and uses a core of its own while requests are in flight.
	// The BlueField's program and the target need as many cores.
	Queues int
	Depth  int // requests in flight in each queue
	MaxIO  int // bytes of the largest request; larger reads and writes are several

	// Checksums makes the device keep the CRC-32C of each block that it has written as a whole, in 16 bytes of memory, and check
	// the blocks that it reads: one that has changed on its way or at the target is ErrData. Nobody else may write to the
	// storage meanwhile.
	Checksums bool
}

func (c Config) withDefaults() (Config, error) {
	for _, f := range []struct {
		v    *int
		name string
		or   int
	}{{&c.Queues, "Queues", DefaultQueues}, {&c.Depth, "Depth", DefaultDepth}, {&c.MaxIO, "MaxIO", DefaultMaxIO}} {
		if *f.v < 0 || *f.v > maxMemory {
			return c, fmt.Errorf("%w: Config.%s is %d: use 1 to %d, or 0 for %d", doca.ErrInvalidValue, f.name, *f.v, maxMemory, f.or)
		}
		if *f.v == 0 {
			*f.v = f.or
		}
	}
	if c.Queues > maxMemory/c.Depth || c.Queues*c.Depth > maxMemory/c.MaxIO {
		return c, fmt.Errorf("%w: Config has %d queues of %d requests of %d bytes, which need more memory than %d bytes: use fewer or smaller ones",
			doca.ErrTooBig, c.Queues, c.Depth, c.MaxIO, maxMemory)
	}
	if c.Timeout < 0 {
		return c, fmt.Errorf("%w: Config.Timeout is %v: use a positive one, or 0 for %v", doca.ErrInvalidValue, c.Timeout, DefaultTimeout)
	}
	if c.Channel == "" {
		c.Channel = DefaultChannel
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	return c, nil
}

// Device is a storage that is open. Any goroutine may use it, also at the same time; what overlapping writes at the same time leave
// is undefined.
type Device struct {
	cfg     Config
	dev     *doca.Device
	session *initiator.Session
	size    int64
	block   int
	sums    *sums // nil without Config.Checksums

	requests chan *part
	failed   atomic.Pointer[error] // why nothing works any more
	threads  []*dataplane.Thread
	closing  chan struct{} // closed when Close begins
	close    func() error
}

// Open connects to the storage. ctx limits the connecting; the device lasts until Close.
func Open(ctx context.Context, cfg Config) (_ *Device, err error) {
	if cfg, err = cfg.withDefaults(); err != nil {
		return nil, err
	}
	dev, err := app.OpenDevice(cfg.Device)
	if err != nil {
		return nil, err
	}
	d := &Device{cfg: cfg, dev: dev, requests: make(chan *part), closing: make(chan struct{})}
	d.close = sync.OnceValue(d.end)
	if d.session, err = initiator.Dial(ctx, dev, cfg.Channel, cfg.Timeout); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	if err = d.start(ctx); err != nil {
		close(d.closing)
		return nil, errors.Join(err, d.abandon())
	}
	return d, nil
}

// start makes the data path. Each slot has its place in the session's memory.
func (d *Device) start(ctx context.Context) error {
	d.size, d.block = int64(d.session.Storage.Size), int(d.session.Storage.BlockSize)
	if d.cfg.Checksums {
		d.sums = newSums(d.block)
	}
	slots := make([]int, d.cfg.Queues)
	for i := range slots {
		slots[i] = d.cfg.Depth
	}
	if err := d.session.Init(ctx, d.cfg.Queues*d.cfg.Depth*d.cfg.MaxIO, slots); err != nil {
		return err
	}
	if err := d.session.Start(ctx); err != nil {
		return err
	}
	dataplane.Reserve(d.cfg.Queues)
	for i, lane := range d.session.Lanes {
		q := &queue{d: d, lane: lane, first: i * d.cfg.Depth * d.cfg.MaxIO, parts: make([]*part, d.cfg.Depth)}
		t, err := dataplane.Go(dataplane.AnyCPU, q.run, lane.Abort)
		if err != nil {
			return err
		}
		d.threads = append(d.threads, t)
	}
	return nil
}

// Size returns the size of the storage in bytes; 0 for a device that is not open.
func (d *Device) Size() int64 {
	if d == nil {
		return 0
	}
	return d.size
}

// BlockSize returns the size of a block in bytes; 0 for a device that is not open. Reads and writes need not be aligned to it.
func (d *Device) BlockSize() int {
	if d == nil {
		return 0
	}
	return d.block
}

// opened returns an error for a device that Open has not made.
func (d *Device) opened() error {
	if d == nil || d.requests == nil {
		return fmt.Errorf("%w: the device is not open: use Open", doca.ErrInvalidValue)
	}
	return nil
}

// ReadAt reads len(p) bytes from the storage, from offset off on. At the end of the storage it returns fewer, and io.EOF. If
// something fails, the number is that of the bytes before it, and the error has DOCA's code.
func (d *Device) ReadAt(p []byte, off int64) (int, error) {
	if err := d.opened(); err != nil {
		return 0, err
	}
	r := Request{Data: p, Offset: off}
	if off >= 0 && int64(len(p)) > d.size-off {
		r.Offset = min(off, d.size)
		r.Data = p[:d.size-r.Offset]
	}
	err := d.Do([]*Request{&r})
	if err == nil && len(r.Data) < len(p) {
		err = io.EOF
	}
	return r.N, err
}

// WriteAt writes len(p) bytes to the storage, from offset off on. It returns when the target has them. A write beyond the end
// writes nothing and returns doca.ErrInvalidValue. If something fails, the number is that of the bytes before it; later ones may be
// written as well.
func (d *Device) WriteAt(p []byte, off int64) (int, error) {
	r := Request{Write: true, Data: p, Offset: off}
	err := d.Do([]*Request{&r})
	return r.N, err
}

// Request is a read or a write of a batch.
type Request struct {
	Write  bool
	Data   []byte // the bytes to write, or the place for those that are read
	Offset int64  // in the storage

	N   int   // bytes that were transferred, from the beginning on
	Err error // why not all; nil if all were
}

// Do carries out requests at the same time, in no order, and waits for all. It returns the error of the first one that has
// one; Request.N and Err have the results of each. All of a request must lie within the storage. No request may be nil, or be
// there twice.
func (d *Device) Do(requests []*Request) error {
	if err := d.opened(); err != nil {
		return err
	}
	if slices.Contains(requests, nil) {
		return fmt.Errorf("%w: a request is nil; none was carried out", doca.ErrInvalidValue)
	}
	var wait sync.WaitGroup
	var checked []*Request  // with checksums: those that are carried out
	var versions [][]uint32 // and the versions of their blocks
	parts := make([]part, 0, len(requests))
	for _, r := range requests {
		r.N, r.Err = 0, nil
		if n := int64(len(r.Data)); r.Offset < 0 || r.Offset > d.size || n > d.size-r.Offset {
			r.Err = fmt.Errorf("%w: %d bytes at %d are not within the storage of %d bytes", doca.ErrInvalidValue, n, r.Offset, d.size)
			continue
		}
		if d.sums != nil {
			checked, versions = append(checked, r), append(versions, d.sums.begin(r))
		}
		for at := 0; at < len(r.Data); at += d.cfg.MaxIO {
			parts = append(parts, part{request: r, at: at, n: min(d.cfg.MaxIO, len(r.Data)-at), wait: &wait})
		}
	}
	for i := range parts {
		wait.Add(1)
		select {
		case d.requests <- &parts[i]:
		case <-d.closing:
			parts[i].end(ErrClosed)
		}
	}
	wait.Wait()
	for i := range parts { // of each request, in order
		if p := &parts[i]; p.request.Err == nil {
			if p.request.Err = p.err; p.err == nil {
				p.request.N += p.n
			}
		}
	}
	for i, r := range checked {
		if err := d.sums.end(r, versions[i]); err != nil {
			r.Err = err
		}
	}
	for _, r := range requests {
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
}

// Close waits for the requests in flight and ends the session on all three machines. Requests that have not begun end with
// ErrClosed. Later calls, also at the same time, wait for the first one and return its error.
func (d *Device) Close() error {
	if err := d.opened(); err != nil {
		return err
	}
	return d.close()
}

func (d *Device) end() error {
	close(d.closing)
	err := d.join()
	if err == nil {
		err = d.session.Stop(context.Background())
	}
	if err == nil {
		err = d.session.Shutdown(context.Background())
	} else {
		err = errors.Join(err, d.session.Close())
	}
	return errors.Join(err, d.dev.Close())
}

// join waits for the threads. They end when no request is in flight any more, or none ends in time.
func (d *Device) join() error {
	var err error
	for _, t := range d.threads {
		err = errors.Join(err, t.Err())
	}
	return err
}

// abandon closes the session after an error.
func (d *Device) abandon() error {
	_ = d.join() // its error is the cause, or a consequence
	return errors.Join(d.session.Close(), d.dev.Close())
}
