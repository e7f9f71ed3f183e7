// Package hw is a helper of a program.
package hw

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
)

// Card is a device with its engine.
type Card struct {
	Dev    *doca.Device
	Engine *doca.ProgressEngine
}

// Open opens the device and makes an engine. The caller closes both.
func Open(addr string) (*doca.Device, *doca.ProgressEngine, error) {
	dev, err := doca.OpenDevice(addr)
	if err != nil {
		return nil, nil, err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return nil, nil, errors.Join(err, dev.Close())
	}
	return dev, pe, nil
}

// Scratch makes a memory. The caller closes it.
func Scratch(dev *doca.Device) (*doca.Memory, error) {
	return doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
}

// Clear writes zeros.
func Clear(b []byte) {
	for i := range b {
		b[i] = 0
	}
}
