// SPDX-License-Identifier: Apache-2.0

// Package measure takes the rate and the latency of DOCA's operations, by size and window.
package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-doca/go-doca/doca"
)

// Plan says what to measure.
type Plan struct {
	Sizes   []int         // bytes of an operation
	Windows []int         // operations in flight at once
	Time    time.Duration // of each row
	Device  string        // the local one; empty for the first that can
}

// maxMemory bounds the memory of each side.
const maxMemory = 1 << 30

// Check reports whether there is something to measure, and it fits into memory.
func (p Plan) Check() error {
	if p.Time <= 0 {
		return fmt.Errorf("a time of %v for each row: want more than none", p.Time)
	}
	_, err := p.bytes()
	return err
}

// bytes is the memory that the largest row needs.
func (p Plan) bytes() (int, error) {
	largest := 0
	for _, size := range p.Sizes {
		for _, window := range p.Windows {
			if size < 1 || window < 1 || size > maxMemory/window {
				return 0, fmt.Errorf("a window of %d operations of %d bytes: want at least 1 of each, and at most 1 GiB in all", window, size)
			}
			largest = max(largest, size*window)
		}
	}
	if largest == 0 {
		return 0, fmt.Errorf("nothing to measure: want at least one size and one window")
	}
	return largest, nil
}

// Row is what was measured of one operation.
type Row struct {
	Operation      string  `json:"operation"`
	Size           int     `json:"size"`   // bytes
	Window         int     `json:"window"` // operations that are submitted together
	Operations     int64   `json:"operations"`
	PerSecond      float64 `json:"operations_per_second"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	// Latency is that of a whole window, from its submission to the end of its last operation.
	Latency Latency `json:"latency_ns"`
	// C is the rate of the same work in C, in operations per second, where there is a loop for it; else 0.
	C float64 `json:"c_operations_per_second,omitempty"`
}

// Latency is a distribution, in nanoseconds.
type Latency struct {
	P50  int64 `json:"p50"`
	P90  int64 `json:"p90"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p99_9"`
	Max  int64 `json:"max"`
}

// warmUp is the part of a row's time that goes by before it counts.
const warmUp = 10

// row runs a window again and again: first for its rate, then once more for its latency, since each look at the clock
// takes time.
func (p Plan) row(ctx context.Context, operation string, size, window int, run func(context.Context) error) (Row, error) {
	r := Row{Operation: operation, Size: size, Window: window}
	windows, seconds, err := p.rate(ctx, func(rounds int) error {
		for range rounds {
			if err := run(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.Latency, err = p.latency(ctx, run)
	}
	if err != nil {
		return r, fmt.Errorf("%s, %d bytes, window %d: %w", operation, size, window, err)
	}
	r.Operations = int64(windows * window)
	r.PerSecond = float64(r.Operations) / seconds
	r.BytesPerSecond = r.PerSecond * float64(size)
	return r, nil
}

// rate runs as many rounds as there is time for.
func (p Plan) rate(ctx context.Context, run func(rounds int) error) (rounds int, seconds float64, err error) {
	begin, n := time.Now(), 1
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		if err := run(n); err != nil {
			return 0, 0, err
		}
		rounds += n
		spent := time.Since(begin)
		switch {
		case spent < p.Time/warmUp: // it warms up, and too few rounds would measure the clock
			n, rounds, begin = 2*n, 0, time.Now()
		case spent > p.Time:
			return rounds, spent.Seconds(), nil
		}
	}
}

func (p Plan) latency(ctx context.Context, run func(context.Context) error) (Latency, error) {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	for begin, last := time.Now(), time.Now(); ; {
		if err := run(ctx); err != nil {
			return Latency{}, err
		}
		now := time.Now()
		_ = h.RecordValue(max(1, now.Sub(last).Nanoseconds())) // an hour is enough
		if now.Sub(begin) > p.Time {
			break
		}
		last = time.Now()
	}
	return Latency{
		P50: h.ValueAtPercentile(50), P90: h.ValueAtPercentile(90), P99: h.ValueAtPercentile(99),
		P999: h.ValueAtPercentile(99.9), Max: h.Max(),
	}, nil
}

// bench is a device and the engine of what is measured on it.
type bench struct {
	dev *doca.Device
	pe  *doca.ProgressEngine
}

// bench opens the plan's device, and makes an engine that polls.
func (p Plan) bench(supported func(doca.DeviceInfo) error) (*bench, error) {
	dev, err := open(p.Device, supported)
	if err != nil {
		return nil, err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return &bench{dev, pe}, nil
}

// Close closes the device with all that was made on it, and the engine.
func (b *bench) Close() error { return errors.Join(b.pe.Close(), b.dev.Close()) }

// newMemory makes memory of which each page is there, so that no operation waits for one.
func newMemory(size int, cfg doca.MemoryConfig) (*doca.Memory, error) {
	mem, err := doca.NewMemory(size, cfg)
	if err == nil {
		for i := 0; i < size; i += os.Getpagesize() {
			mem.Bytes()[i] = byte(i >> 12)
		}
	}
	return mem, err
}

// Named tells whether a device has this name: its PCI address with or without the domain, or what its RDMA device or
// network interface is called.
func Named(info doca.DeviceInfo, name string) bool {
	pci := strings.ToLower(name)
	return name != "" && (pci == info.PCIAddr || "0000:"+pci == info.PCIAddr || name == info.Ibdev || name == info.Interface)
}

// open opens the device with this PCI address or name, or the first that supports what is measured.
func open(name string, supported func(doca.DeviceInfo) error) (*doca.Device, error) {
	infos, err := doca.Devices()
	if err != nil {
		return nil, err
	}
	var why error
	for _, info := range infos {
		if name != "" && !Named(info, name) {
			continue
		}
		if why = supported(info); why == nil {
			return doca.OpenDeviceFunc(func(d doca.DeviceInfo) bool { return d.PCIAddr == info.PCIAddr && d.Ibdev == info.Ibdev })
		}
	}
	switch {
	case why != nil:
		return nil, fmt.Errorf("no device can do this: %w", why)
	case name != "":
		return nil, fmt.Errorf("there is no device %s: doca devices lists them", name)
	}
	return nil, fmt.Errorf("there is no device: doca doctor says why")
}
