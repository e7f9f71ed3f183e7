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
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	return copier.CopyRange(context.Background(), to, 0, from, 0, len(src))
}

func main() {
	src, dst := []byte("hello"), make([]byte, 5)
	if err := run(dst, src); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", dst)
}
