package unclosed

import (
	"errors"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

type holder struct {
	dev  *doca.Device
	list []*doca.Memory
}

var global *doca.Device

func dropped() {
	doca.NewProgressEngine(doca.EngineConfig{}) // want `the doca.ProgressEngine that doca.NewProgressEngine makes is dropped`
}

func earlyReturn(n int) error {
	inv, err := doca.NewInventory(n) // want `not closed on all paths: not before the return in line 29`
	if err != nil {
		return err
	}
	if n > 5 {
		return errors.New("too many")
	}
	return inv.Close()
}

func loop(addrs []string) {
	for _, a := range addrs {
		dev, err := doca.OpenDevice(a) // want `not closed on all paths`
		if err == nil {
			log.Print(dev)
		}
	}
}

func conditional(closing bool) {
	dev, err := doca.OpenDevice("x") // want `not closed on all paths`
	if err != nil {
		return
	}
	if closing {
		_ = dev.Close()
	}
}

func onlyUsed(dev *doca.Device) { log.Print(dev.Info()) }

func helper() error {
	dev, err := doca.OpenDevice("x") // want `not closed on all paths`
	if err != nil {
		return err
	}
	onlyUsed(dev)
	return nil
}

func goroutine() {
	dev, err := doca.OpenDevice("x") // want `not closed on all paths`
	if err != nil {
		return
	}
	go func() { log.Print(dev.Info()) }()
}

func returned() (*doca.Device, error) { return doca.OpenDevice("x") }

func stored(h *holder) (err error) {
	h.dev, err = doca.OpenDevice("x")
	return err
}

func assigned() (err error) {
	global, err = doca.OpenDevice("x")
	return err
}

func appended(h *holder, dev *doca.Device) error {
	m, err := doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	h.list = append(h.list, m)
	return err
}

func sent(ch chan *doca.Device) error {
	dev, err := doca.OpenDevice("x")
	if err != nil {
		return err
	}
	ch <- dev
	return nil
}

func correlated(want bool) (err error) {
	var dev *doca.Device
	if want {
		if dev, err = doca.OpenDevice("x"); err != nil {
			return err
		}
	}
	log.Print("work")
	if want {
		return dev.Close()
	}
	return nil
}

func owned(dev *doca.Device) error { // the function closes the owner
	defer dev.Close()
	m, err := doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	log.Print(m.Len())
	return nil
}

func taken(conn *comch.Conn) (*comchnet.Conn, error) { return comchnet.NewConn(conn) }

func fatal() {
	dev, err := doca.OpenDevice("x")
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(dev)
}

func ignored() {
	//doca:ignore unclosed for a test
	dev, _ := doca.OpenDevice("x")
	log.Print(dev)
}
