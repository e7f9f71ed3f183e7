// Package device opens devices for the examples.
package device

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
)

// Open opens the device with a PCI address that has all of what is asked for. Some cards have several devices at one address, of which
// only one supports Comch, for example. If none has it all, Open opens the first, and its use says what it lacks.
func Open(pciAddr string, supported ...func(doca.DeviceInfo) error) (*doca.Device, error) {
	has := func(info doca.DeviceInfo) bool {
		for _, f := range supported {
			if f(info) != nil {
				return false
			}
		}
		return true
	}
	first, err := doca.OpenDevice(pciAddr)
	if err != nil || has(first.Info()) {
		return first, err
	}
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return info.PCIAddr == first.Info().PCIAddr && has(info) })
	if errors.Is(err, doca.ErrNotFound) {
		return first, nil
	}
	return dev, errors.Join(err, first.Close())
}
