package syncevent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// AllBits is the mask of waits that look at the whole value.
const AllBits = ^uint64(0)

// Locations says where an event is used from.
type Locations uint8

// The locations. Combine them with |.
const (
	CPU       Locations = 1 << iota // this process
	RemotePCI                       // the process at the other end of the PCI bus, host or DPU
	RemoteNet                       // a process across the network; it can only publish
	DPA                             // code on a DPA: that of Config.DPA
)

// String returns the names of the locations.
func (l Locations) String() string {
	var names []string
	for i, name := range []string{"CPU", "RemotePCI", "RemoteNet", "DPA"} {
		if l&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if rest := l &^ (CPU | RemotePCI | RemoteNet | DPA); rest != 0 {
		names = append(names, fmt.Sprintf("Locations(%d)", uint8(rest)))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "|")
}

// Config holds the options of an event. The zero value is an event for this process alone.
type Config struct {
	Publishers  Locations // who changes the value; 0 is CPU. For an imported event, its exporter has decided.
	Subscribers Locations // who reads it and waits for it; 0 is CPU, and so it is for an imported event

	// Memory and Offset say where the value is: 8 bytes of a memory of this process, at a multiple of 8. Closing the
	// memory closes the event. Without Memory, DOCA has a place of its own. An imported event has none.
	Memory *doca.Memory
	Offset int

	// DPA is the context of the location DPA, a *dpa.DPA. It is closed after the event. The device is the DPA's.
	DPA bind.DPA

	// MaxTasks is the number of tasks of each kind that a [TaskEvent] can have in flight. 0 means DefaultMaxTasks.
	MaxTasks int

	Polling Polling // how waits look at the value
}

// Publisher changes the value of an event.
type Publisher interface {
	// Set sets the value.
	Set(ctx context.Context, value uint64) error
	// Add adds n to the value, and returns the value before.
	Add(ctx context.Context, n uint64) (before uint64, err error)
}

// Subscriber reads the value of an event and waits for it.
type Subscriber interface {
	// Get returns the value.
	Get(ctx context.Context) (uint64, error)
	// WaitGreater waits until the value, masked, is greater than value.
	WaitGreater(ctx context.Context, value, mask uint64) (uint64, error)
	// WaitEqual waits until the value, masked, equals value.
	WaitEqual(ctx context.Context, value, mask uint64) (uint64, error)
	// WaitNotEqual waits until the value, masked, differs from value.
	WaitNotEqual(ctx context.Context, value, mask uint64) (uint64, error)
}

// Event is a sync event whose methods act at once. Its device, and its memory if it has one, own it: closing either closes the
// event. Any goroutine may use it.
type Event struct {
	child *bind.Child
	in    *event
	dpa   bind.DPA // that of Config; nil if there is none
}

// event is the inner part of an Event. It never points to it.
type event struct {
	name    string
	polling Polling
	closing chan struct{} // closed by the first Close, to end waits and refuse calls

	mu  sync.RWMutex // held for reading during a call, for writing while raw changes
	raw *gen.SyncEvent
}

// New creates an event on a device and starts it. Its value is 0, or what the memory has.
//
// Errors: ErrInvalidValue if dev is nil, and for a wrong Config; ErrNotSupported if the device has no such events; a
// [*doca.StateError] if the device or the memory is closed. Calls doca_sync_event_create,
// doca_sync_event_add_publisher_location_cpu and its like, doca_sync_event_set_addr and doca_sync_event_start.
func New(dev *doca.Device, cfg Config) (*Event, error) {
	return newEvent(dev, cfg, func(raw *common.Dev) (*gen.SyncEvent, error) { return create(raw, cfg) })
}

// Import makes an event of what the process at the other end of the PCI bus has exported with [Event.ExportPCI], and starts
// it. dev is the device at the other end of the exporter's. cfg gives the Polling alone.
//
// When the exporter closes its event or ends, calls return ErrIOFailed. Close the imported event then as well.
//
// Errors: ErrInvalidValue if dev is nil, if the descriptor is damaged, and if its export has ended; ErrNotPermitted if dev is
// the wrong device; ErrUnsupportedVersion if the exporter's emulator is of another version; a [*doca.StateError] if the device
// is closed. Calls doca_sync_event_create_from_export and doca_sync_event_start.
func Import(dev *doca.Device, descriptor []byte, cfg Config) (*Event, error) {
	if err := cfg.checkImport(descriptor); err != nil {
		return nil, err
	}
	return newEvent(dev, cfg, func(raw *common.Dev) (*gen.SyncEvent, error) { return importEvent(raw, descriptor) })
}

func newEvent(dev *doca.Device, cfg Config, create func(*common.Dev) (*gen.SyncEvent, error)) (*Event, error) {
	if _, err := bind.RawDevice(dev); err != nil {
		return nil, err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	in := &event{polling: cfg.Polling, closing: make(chan struct{})}
	var owners []bind.Owner
	if cfg.Memory != nil {
		owners = append(owners, cfg.Memory)
	}
	if cfg.DPA != nil {
		owners = append(owners, cfg.DPA)
	}
	in.mu.Lock() // who closes a parent meanwhile waits
	child, err := bind.NewChild(bind.ChildConfig{Kind: "sync event", Detail: dev.Info().PCIAddr, Parent: dev, Owners: owners, Close: in.close})
	if err != nil {
		in.mu.Unlock()
		return nil, err
	}
	in.name = child.String()
	err = in.startLocked(dev, create)
	in.mu.Unlock()
	if err != nil {
		return nil, errors.Join(fail("create", in.name, err, ""), child.Close())
	}
	return &Event{child: child, in: in, dpa: cfg.DPA}, nil
}

// startLocked makes DOCA's object. If that fails, what there is of it is left to close.
func (e *event) startLocked(dev *doca.Device, create func(*common.Dev) (*gen.SyncEvent, error)) error {
	raw, err := bind.RawDevice(dev)
	if err != nil {
		return err
	}
	if e.raw, err = create(raw); err != nil {
		return err
	}
	return gen.Start(nil, e.raw)
}

// close destroys DOCA's object. It may be called again after an error.
func (e *event) close(ctx context.Context) error {
	select {
	case <-e.closing:
	default:
		close(e.closing)
	}
	if err := e.lock(ctx); err != nil {
		return fail("close", e.name, err, "a call on the event waits for the process that has exported it")
	}
	defer e.mu.Unlock()
	if e.raw == nil {
		return nil
	}
	if err := gen.Destroy(nil, e.raw); err != nil {
		return fail("close", e.name, err, "")
	}
	e.raw = nil
	return nil
}

// lock locks mu for writing, unless ctx ends first. It does not queue for it: calls that have begun with Close would wait behind it for
// those that wait for the exporter.
func (e *event) lock(ctx context.Context) error {
	for pause := minPause; !e.mu.TryLock(); pause = min(2*pause, DefaultMaxPause) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
	return nil
}

// use makes a call on the event.
func (e *event) use(op string, call func(raw *gen.SyncEvent) error) error {
	if err := e.rlock(op); err != nil {
		return err
	}
	defer e.mu.RUnlock()
	return failCall(op, e.name, call(e.raw))
}

// rlock locks mu for reading, unless the event is closed or Close was called.
func (e *event) rlock(op string) error {
	select {
	case <-e.closing:
		return e.closed(op)
	default:
	}
	e.mu.RLock()
	if e.raw == nil {
		e.mu.RUnlock()
		return e.closed(op)
	}
	return nil
}

func (e *event) closed(op string) error {
	return &doca.StateError{Object: e.name, State: doca.StateClosed, Op: op}
}

// ExportPCI exports the event to the process at the other end of the PCI bus, through a device. Publishers or Subscribers must
// have RemotePCI. It returns a descriptor of at most 512 bytes. Send it there by any means, and pass it to [Import] or
// [ImportTaskEvent]. Until Close, whoever has the descriptor can use the event. ExportPCI returns ErrInvalidValue if the event
// is imported or has no such location. Calls doca_sync_event_export_to_remote_pci.
func (e *Event) ExportPCI(dev *doca.Device) ([]byte, error) {
	if e == nil || e.in == nil {
		return nil, noEvent("export")
	}
	defer runtime.KeepAlive(e)
	var out []byte
	err := e.in.use("export", func(raw *gen.SyncEvent) (err error) {
		out, err = exportPCI(raw, dev)
		return err
	})
	return out, err
}

// ExportNet exports the event to processes across the network, which change it through RDMA. Publishers must have RemoteNet.
// The receiver passes the descriptor, of at most 512 bytes, to [ImportNet]. ExportNet returns ErrInvalidValue if the event is
// imported or has no such location. Calls doca_sync_event_export_to_remote_net.
func (e *Event) ExportNet() ([]byte, error) {
	if e == nil || e.in == nil {
		return nil, noEvent("export")
	}
	defer runtime.KeepAlive(e)
	var out []byte
	err := e.in.use("export", func(raw *gen.SyncEvent) (err error) {
		out, err = exportNet(raw)
		return err
	})
	return out, err
}

// Close closes the event. Waits end, and calls in progress do before Close returns. Closing a closed event is no error. If Close returns
// an error, the event stays open and refuses calls: call Close again. Calls doca_sync_event_destroy.
func (e *Event) Close() error { return e.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, the event refuses calls, and a later Close or Shutdown
// continues.
func (e *Event) Shutdown(ctx context.Context) error {
	if e == nil || e.in == nil {
		return noEvent("close")
	}
	return e.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (e *Event) String() string {
	if e == nil || e.in == nil {
		return "no sync event"
	}
	return e.in.name
}

// The calls that both kinds of events make.

func (cfg Config) check() error {
	switch {
	case cfg.Publishers&^(CPU|RemotePCI|RemoteNet|DPA) != 0, cfg.Subscribers&^(CPU|RemotePCI|DPA) != 0:
		return fail("create", "sync event", doca.ErrInvalidValue, fmt.Sprintf("Publishers %v, Subscribers %v: subscribers can be CPU, RemotePCI and DPA", cfg.Publishers, cfg.Subscribers))
	case (cfg.DPA != nil) != ((cfg.Publishers|cfg.Subscribers)&DPA != 0):
		return fail("create", "sync event", doca.ErrInvalidValue, "the location DPA and Config.DPA go together")
	case cfg.MaxTasks < 0 || cfg.MaxTasks > mostTasks:
		return fail("create", "sync event", doca.ErrInvalidValue, fmt.Sprintf("Config.MaxTasks is %d, it can be up to %d", cfg.MaxTasks, mostTasks))
	case cfg.Memory != nil:
		_, err := cfg.word()
		return err
	}
	return nil
}

func (cfg Config) checkImport(descriptor []byte) error {
	if len(descriptor) == 0 {
		return fail("import", "sync event", doca.ErrInvalidValue, "the descriptor is empty")
	}
	if cfg.Publishers != 0 || cfg.Subscribers != 0 || cfg.Memory != nil || cfg.DPA != nil {
		return fail("import", "sync event", doca.ErrInvalidValue, "the exporter has decided on Publishers, Subscribers, Memory and DPA")
	}
	return nil
}

// word returns the place of the value in the memory.
func (cfg Config) word() (unsafe.Pointer, error) {
	if _, err := bind.RawMemory(cfg.Memory); err != nil {
		return nil, err
	}
	bytes := cfg.Memory.Bytes()
	if cfg.Offset < 0 || cfg.Offset > len(bytes)-8 {
		return nil, fail("create", "sync event", doca.ErrInvalidValue,
			fmt.Sprintf("no 8 bytes at offset %d of %v, which has %d bytes in this process", cfg.Offset, cfg.Memory, len(bytes)))
	}
	word := unsafe.Pointer(&bytes[cfg.Offset])
	if uintptr(word)%8 != 0 {
		return nil, fail("create", "sync event", doca.ErrInvalidValue, fmt.Sprintf("offset %d of %v is no multiple of 8 in memory", cfg.Offset, cfg.Memory))
	}
	return word, nil
}

// create makes DOCA's object. After an error there may be one all the same, which is left to close.
func create(dev *common.Dev, cfg Config) (*gen.SyncEvent, error) {
	raw, err := gen.Create()
	if err != nil {
		return nil, err
	}
	return raw, configure(raw, dev, cfg)
}

func configure(raw *gen.SyncEvent, dev *common.Dev, cfg Config) (err error) {
	if cfg.Publishers == 0 {
		cfg.Publishers = CPU
	}
	if cfg.Subscribers == 0 {
		cfg.Subscribers = CPU
	}
	steps := []struct {
		wanted bool
		add    func() error
	}{
		{cfg.Publishers&CPU != 0, func() error { return gen.AddPublisherLocationCPU(raw, dev) }},
		{cfg.Publishers&RemotePCI != 0, func() error { return gen.AddPublisherLocationRemotePCI(raw) }},
		{cfg.Publishers&RemoteNet != 0, func() error { return gen.AddPublisherLocationRemoteNet(raw) }},
		{cfg.Publishers&DPA != 0, func() error { return addDPA(raw, cfg.DPA, gen.AddPublisherLocationDPA) }},
		{cfg.Subscribers&DPA != 0, func() error { return addDPA(raw, cfg.DPA, gen.AddSubscriberLocationDPA) }},
		{cfg.Subscribers&CPU != 0, func() error { return gen.AddSubscriberLocationCPU(raw, dev) }},
		{cfg.Subscribers&RemotePCI != 0, func() error { return gen.AddSubscriberLocationRemotePCI(raw) }},
		{cfg.Memory != nil, func() error {
			word, err := cfg.word()
			if err == nil {
				err = gen.SetAddr(raw, word)
			}
			return err
		}},
	}
	for _, s := range steps {
		if s.wanted && err == nil {
			err = s.add()
		}
	}
	return err
}

func exportPCI(raw *gen.SyncEvent, dev *doca.Device) ([]byte, error) {
	rawDev, err := bind.RawDevice(dev)
	if err != nil {
		return nil, err
	}
	data, err := gen.ExportToRemotePCI(raw, rawDev)
	runtime.KeepAlive(dev)
	err = explain(err, doca.ErrInvalidValue, "the event must not be imported, and Publishers or Subscribers of its Config must have RemotePCI")
	return bytes.Clone(data), err // it is DOCA's
}

func exportNet(raw *gen.SyncEvent) ([]byte, error) {
	data, err := gen.ExportToRemoteNet(raw)
	err = explain(err, doca.ErrInvalidValue, "the event must not be imported, and Publishers of its Config must have RemoteNet")
	return bytes.Clone(data), err
}

func importEvent(dev *common.Dev, descriptor []byte) (*gen.SyncEvent, error) {
	event, err := gen.CreateFromExport(dev, descriptor)
	err = explain(err, doca.ErrInvalidValue, "the descriptor is damaged, or its export has ended")
	return event, explain(err, doca.ErrNotPermitted, "use the device at the other end of the exporter's, and run both processes as the same user")
}

// explain adds to an error what a code of DOCA means for this call.
func explain(err error, code doca.Error, text string) error {
	if !errors.Is(err, code) {
		return err
	}
	return fmt.Errorf("%w: %s", err, text)
}

// fail makes an error. It returns nil for nil.
func fail(op, object string, err error, advice string) error {
	if err == nil {
		return nil
	}
	if advice == "" {
		advice = bind.Advice(err)
	}
	return &doca.OpError{Op: op, Object: object, Err: err, Advice: advice}
}

// failCall makes the error of a call on an event.
func failCall(op, object string, err error) error {
	advice := ""
	if errors.Is(err, doca.ErrIOFailed) {
		advice = "the process that exported the event has closed it or has ended: close the event here, and import a new one"
	}
	return fail(op, object, err, advice)
}
