// Command migration copies a text with DOCA DMA: the Go program of docs/migration.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // optional: used where no SDK is installed
)

func run(dst, src []byte) (err error) {
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return dma.Supported(info) == nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }() // and what is made on it
	from, err := doca.RegisterMemory(src, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	to, err := doca.RegisterMemory(dst, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	srcBuf, err := inv.Buffer(from, 0, len(src))
	if err != nil {
		return err
	}
	if err := srcBuf.SetData(0, len(src)); err != nil {
		return err
	}
	dstBuf, err := inv.Buffer(to, 0, len(dst))
	if err != nil {
		return err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	_, err = copier.Copy(context.Background(), dstBuf, srcBuf)
	return err
}

func main() {
	src, dst := []byte("hello"), make([]byte, 5)
	if err := run(dst, src); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", dst)
}
