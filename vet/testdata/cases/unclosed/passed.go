package unclosed

import (
	"errors"
	"log"

	"github.com/go-doca/go-doca/doca"
)

// must returns what it gets: the object is the caller's as before.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func named(m *doca.Memory, name string) (*doca.Memory, error) {
	if name == "" {
		return nil, errors.New("no name")
	}
	return m, nil
}

func printed() {
	inv := must(doca.NewInventory(1)) // want `the doca.Inventory that doca.NewInventory makes is not closed on all paths`
	log.Print(inv)
}

func closedLater() {
	inv := must(doca.NewInventory(1))
	log.Print(inv)
	must(0, inv.Close())
}

func handedOn() *doca.Inventory { return must(doca.NewInventory(1)) }

func handedOnAndDropped() {
	inv := handedOn() // want `the doca.Inventory that unclosed.handedOn makes is not closed on all paths`
	log.Print(inv)
}

func throughTuple(dev *doca.Device, name string) (*doca.Memory, error) {
	m, err := doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}}) // want `not closed on all paths: not before the return in line 50`
	if err != nil {
		return nil, err
	}
	n, err := named(m, name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// check returns the error as well, and explain another one in its place.
func check[T any](v T, err error) (T, error) {
	if err != nil {
		log.Print(err)
	}
	return v, err
}

func explain(m *doca.Memory, err error) (*doca.Memory, error) {
	if err != nil {
		return nil, errors.Join(errors.New("no memory"), err)
	}
	return m, nil
}

func told(err error) error {
	if err != nil {
		return errors.New("not here")
	}
	return nil
}

func checked(dev *doca.Device) error {
	inv, err := check(doca.NewInventory(1))
	if err != nil {
		return err
	}
	if err := inv.Close(); err != nil {
		return err
	}
	m, err := explain(doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}}))
	if err != nil {
		return err
	}
	if err := m.Close(); err != nil {
		return err
	}
	again, err := doca.NewInventory(1)
	if err = told(err); err != nil {
		return err
	}
	return again.Close()
}

// best keeps one object over the rounds of a loop, and closes the others.
func best(names []string) (*doca.Device, error) {
	var found *doca.Device
	for _, name := range names {
		dev, err := doca.OpenDevice(name)
		if err != nil {
			log.Print(err)
			continue
		}
		if found != nil {
			if err := found.Close(); err != nil {
				log.Print(err)
			}
		}
		found = dev
	}
	return found, nil
}

// last forgets all but one.
func last(names []string) (*doca.Device, error) {
	var found *doca.Device
	for _, name := range names {
		dev, err := doca.OpenDevice(name) // want `the doca.Device that doca.OpenDevice makes is not closed`
		if err != nil {
			log.Print(err)
			continue
		}
		found = dev
	}
	return found, nil
}

// The callers of these close the owner.

func part(dev *doca.Device) (*doca.Memory, error) {
	m, err := doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return nil, err
	}
	if m.Len() == 0 {
		return nil, errors.New("empty")
	}
	return m, nil
}

func parts(dev *doca.Device) error {
	defer dev.Close()
	for range 3 {
		m, err := part(dev)
		if err != nil {
			return err // the device is closed, and the memory with it
		}
		log.Print(m)
	}
	return nil
}

func retried(dev *doca.Device) (*doca.Memory, error) {
	m, err := doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}}) // want `not closed on all paths`
	if err != nil {
		return nil, err
	}
	if m.Len() == 0 {
		return nil, errors.New("empty")
	}
	return m, nil
}

func retries(dev *doca.Device) {
	defer dev.Close()
	for range 3 {
		m, err := retried(dev)
		if err != nil {
			continue // one more is lost each time
		}
		log.Print(m)
	}
}
