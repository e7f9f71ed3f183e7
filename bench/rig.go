package main

import (
	"fmt"
	"log"
	"runtime"
	"slices"

	"github.com/go-doca/go-doca/doca"
)

// rig is what a row is set up with: it ends the program when something fails, for a row that has failed measures nothing, and
// closes what the row has opened.
type rig struct {
	row    string
	closes []func() error // from the first opened to the last
	kept   []any          // what is closed with its device, and must not be lost before
}

func (r *rig) ok(err error) {
	if err != nil {
		log.Fatalf("%s: %v", r.row, err)
	}
}

// check ends the program if what a row has done is wrong.
func (r *rig) check(right bool, format string, args ...any) {
	if !right {
		r.ok(fmt.Errorf(format, args...))
	}
}

// later has f called when the row is done, before what was opened earlier is closed.
func (r *rig) later(f func() error) { r.closes = append(r.closes, f) }

func (r *rig) close() {
	for _, f := range slices.Backward(r.closes) {
		r.ok(f())
	}
	runtime.KeepAlive(r.kept)
	r.closes, r.kept = nil, nil
}

// device opens the first device, as the loops in C do.
func (r *rig) device() *doca.Device {
	devices, err := doca.Devices()
	r.ok(err)
	r.check(len(devices) > 0, "no DOCA device")
	return r.open(devices[0].PCIAddr)
}

func (r *rig) open(addr string) *doca.Device {
	dev, err := doca.OpenDevice(addr)
	r.ok(err)
	r.later(dev.Close)
	return dev
}

// engine makes an engine; busy says that its waits poll, as the loops in C do.
func (r *rig) engine(busy bool) *doca.ProgressEngine {
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: busy})
	r.ok(err)
	r.later(pe.Close)
	return pe
}

// pattern is what sources hold.
func pattern(i int) byte { return byte(i*31 + i/251) }
