package dpa

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// App is an application for the DPA, which dpacc has compiled. The function App of a package that gen dpa has written returns it.
type App = gen.App

// Config holds the options of a DPA. App is mandatory.
type Config struct {
	App *App // struct doca_dpa_app, which lives as long as the program

	// LogLevel is that of the messages of device code: LogError, LogWarning, LogInfo or LogDebug, or LogDisable. 0 is LogInfo.
	LogLevel doca.LogLevel

	// Log and Trace get what device code logs and traces, as records of package slog; see [DPA]. Or LogFile and TraceFile are paths of files for
	// it. Without any of them, DOCA writes to the standard output.
	Log, Trace         slog.Handler
	LogFile, TraceFile string
}

// DPA is a context on a data-path accelerator: an application that runs there, and its memory, kernels, threads and queues. Its device
// owns it. Any goroutine may use it.
//
// A handler of Config gets one record after the other, on a goroutine of its own; DOCA never waits for it. It must not close the DPA.
// Lines that come while 16384 wait for it are dropped, and a line says how many. Close waits until it has all others. A record
// has a line of the log: without what DOCA writes before the text, if that has a level in brackets, which is the record's; else the whole line,
// with LevelInfo. A line of the trace is a record of LevelDebug with the message "trace" and the attribute "line".
type DPA struct {
	*link
	*child
	c   *instance
	dev *doca.Device
	app *App
}

type link = bind.DPALink

// Supported returns nil if the device has a DPA that the program can use, ErrNotSupported if not, and another error if the query fails. Calls
// doca_dpa_cap_is_supported.
func Supported(info doca.DeviceInfo) error { return bind.WithDevinfo(info, gen.CapIsSupported) }

// New creates a context on a device, loads the application and starts it.
//
// Errors: ErrInvalidValue if dev is nil or Config is wrong; ErrNotSupported if the device has no DPA; ErrOperatingSystem if a log file
// cannot be opened; a [*doca.StateError] if the device is closed. Calls doca_dpa_create, doca_dpa_set_app, doca_dpa_set_log_level,
// doca_dpa_log_file_set_path, doca_dpa_trace_file_set_path and doca_dpa_start.
func New(dev *doca.Device, cfg Config) (*DPA, error) {
	if _, err := bind.RawDevice(dev); err != nil {
		return nil, err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	logs, err := newLogs(cfg)
	if err != nil {
		return nil, err
	}
	c := &instance{process: &process{crash: logs.crashData}, logs: logs}
	d, err := c.open(dev, []bind.Owner{dev}, func() (raw *common.DPA, err error) {
		raw, err = create(dev, cfg, logs)
		c.base = raw
		return raw, err
	})
	if err != nil {
		return nil, errors.Join(err, logs.close(context.Background()))
	}
	d.app = cfg.App
	return d, nil
}

// open makes the handle of a context, and with create DOCA's object.
func (c *instance) open(dev *doca.Device, owners []bind.Owner, create func() (*common.DPA, error)) (*DPA, error) {
	c.mu.Lock() // who closes an owner meanwhile waits
	child, err := bind.NewChild(bind.ChildConfig{Kind: "dpa", Detail: dev.Info().PCIAddr, Parent: owners[0], Owners: owners[1:], AfterContexts: true, Before: c.end, Close: c.close})
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	c.name = child.String()
	c.raw, err = create()
	c.mu.Unlock()
	if err != nil {
		return nil, errors.Join(fail("create", c.name, err, ""), child.Close())
	}
	return &DPA{link: bind.NewDPALink(c.use, c.check), child: child, c: c, dev: dev}, nil
}

func create(dev *doca.Device, cfg Config, l *logs) (*common.DPA, error) {
	rawDev, err := bind.RawDevice(dev)
	if err != nil {
		return nil, err
	}
	raw, err := gen.Create(rawDev)
	if err != nil {
		return nil, err
	}
	path := func(path string, set func(*common.DPA, string) error) func() error {
		return func() error {
			if path == "" {
				return nil
			}
			return set(raw, path)
		}
	}
	return steps(raw,
		func() error { return gen.SetApp(raw, cfg.App) },
		func() error {
			if cfg.LogLevel == 0 {
				return nil
			}
			return gen.SetLogLevel(raw, dpadev.LogLevel(cfg.LogLevel))
		},
		path(l.path, gen.LogFileSetPath),
		path(l.tracePath, gen.TraceFileSetPath),
		func() error { return gen.Start(nil, raw) })
}

func destroy(raw *common.DPA) error { return gen.Destroy(nil, raw) }

// Extend makes a context for another device, such as a scalable function, that uses the same application. What code on the DPA
// uses with that device is made from the new context; it chooses the device with the new context's [DPA.Handle]. d and the device
// own the new context.
//
// Errors: ErrInvalidValue if dev is nil; ErrBadState if d is itself such a context; a [*doca.StateError] if d or the device is closed.
// Calls doca_dpa_device_extend.
func (d *DPA) Extend(dev *doca.Device) (*DPA, error) {
	const op = "extend"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	if _, err := bind.RawDevice(dev); err != nil {
		return nil, err
	}
	c := &instance{process: d.c.process}
	out, err := c.open(dev, []bind.Owner{d, dev}, func() (*common.DPA, error) {
		rawDev, err := bind.RawDevice(dev)
		if err != nil {
			return nil, err
		}
		if err := d.c.readyLocked(op, d.c.name); err != nil {
			return nil, err
		}
		raw, err := gen.DeviceExtend(d.c.raw, rawDev)
		return raw, d.c.causeLocked(err)
	})
	if err != nil {
		return nil, err
	}
	out.app = d.app
	return out, nil
}

// end lets nothing begin any more, and waits for what goes on, which may use what belongs to the context.
func (c *instance) end(ctx context.Context) error {
	return limited(ctx, func(ctx context.Context) error {
		if err := c.endNow(ctx); err != nil {
			return err
		}
		if err := c.calls.wait(ctx, c); err != nil {
			return err
		}
		return c.runs.wait(ctx, c)
	})
}

// endNow lets nothing begin any more.
func (c *instance) endNow(ctx context.Context) error {
	if err := c.lockFor(ctx); err != nil {
		return fail("close", c.name, err, busyAdvice)
	}
	c.closing = true
	c.mu.Unlock()
	return nil
}

// closeLimit limits Close, for waits that no ctx limits. A test changes it.
var closeLimit = 30 * time.Second

// limited calls f. If nothing ends ctx, closeLimit limits the waits of f, and its error is ErrTimeOut then.
func limited(ctx context.Context, f func(context.Context) error) error {
	if ctx.Done() != nil {
		return f(ctx)
	}
	limit, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	err := f(limit)
	if op := new(doca.OpError); errors.As(err, &op) && errors.Is(op.Err, context.DeadlineExceeded) {
		op.Err = doca.ErrTimeOut
	}
	return err
}

// close destroys DOCA's object. It may be called again after an error. What belongs to the context is closed.
func (c *instance) close(ctx context.Context) error {
	return limited(ctx, func(ctx context.Context) error {
		if err := c.destroy(ctx); err != nil {
			return err
		}
		if c.logs == nil { // an extended context has those of its base
			return nil
		}
		return fail("close", c.name, c.logs.close(ctx), "the handlers of Config.Log and Config.Trace have not returned")
	})
}

func (c *instance) destroy(ctx context.Context) error {
	if err := c.lockFor(ctx); err != nil {
		return fail("close", c.name, err, busyAdvice)
	}
	defer c.mu.Unlock()
	if c.raw == nil {
		return nil
	}
	if err := c.runs.destroyLocked(); err != nil {
		return fail("close", c.name, err, "")
	}
	if err := destroy(c.raw); err != nil {
		return fail("close", c.name, err, "")
	}
	if c.base == c.raw {
		c.base = nil
	}
	c.raw = nil
	return nil
}

// Close closes the context and everything that belongs to it: threads and queues, then memory, then the application. It waits for calls in
// progress and for kernels that report to the package alone and have nothing to wait for: those whose LaunchOptions have neither Completion nor
// Wait. After a fatal error there are none. The others do not keep it, whether they run or not: they are ended, and do not start any more. So wait
// for them before. Closing a closed context is no error. If Close returns an error, the context stays open: call Close again. After 30
// seconds it returns one that is ErrTimeOut and names what it waits for. DOCA ends a kernel at its maximum run time; see [DPA.Info].
// Calls doca_dpa_destroy.
func (d *DPA) Close() error { return d.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns an error that wraps ctx.Err(), and a later
// Close or Shutdown continues.
func (d *DPA) Shutdown(ctx context.Context) error {
	if d == nil || d.c == nil {
		return noDPA("close")
	}
	return d.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (d *DPA) String() string {
	if d == nil || d.c == nil {
		return "no dpa"
	}
	return d.c.name
}

// Device returns the device of the context; nil for a context that is nil.
func (d *DPA) Device() *doca.Device {
	if d == nil || d.c == nil {
		return nil
	}
	return d.dev
}

// Err returns nil, an error that is [ErrFatal] if the DPA has had a fatal error, or a [*doca.StateError] if the context is closed. Calls
// doca_dpa_peek_at_last_error.
func (d *DPA) Err() error {
	if d == nil || d.c == nil {
		return noDPA("check")
	}
	defer runtime.KeepAlive(d)
	return d.c.check(context.Background(), "check")
}
