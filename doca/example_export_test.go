package doca_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// share is what the host does: it lets the DPU read a memory. The descriptor goes to the DPU by any
// way, such as a message of package comch.
func share(dev *doca.Device, text string) (mem *doca.Memory, descriptor []byte, err error) {
	mem, err = doca.NewMemory(len(text), doca.MemoryConfig{
		Devices: []*doca.Device{dev},
		Access:  doca.AccessPCIReadOnly,
	})
	if err != nil {
		return nil, nil, err
	}
	copy(mem.Bytes(), text)
	descriptor, err = mem.ExportPCI(dev)
	return mem, descriptor, err
}

// fetch is what the DPU does: it copies the host's memory into its own.
func fetch(ctx context.Context, dev *doca.Device, descriptor []byte) (text string, err error) {
	remote, err := doca.ImportMemory(dev, descriptor)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, remote.Close()) }()
	local, err := doca.NewMemory(remote.Len(), doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	inv, err := doca.NewInventory(2)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	src, err := inv.Buffer(remote, 0, remote.Len())
	if err != nil {
		return "", err
	}
	if err := src.SetData(0, remote.Len()); err != nil {
		return "", err
	}
	dst, err := inv.Buffer(local, 0, local.Len())
	if err != nil {
		return "", err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return "", err
	}
	if _, err := copier.Copy(ctx, dst, src); err != nil {
		return "", err
	}
	return string(dst.Data()), nil
}

// Export a memory on the host and read it on the DPU. These are two programs on two machines;
// the emulator has both sides in one process.
func ExampleMemory_ExportPCI() {
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dpu.Close()

	mem, descriptor, err := share(host, "the host's text")
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close() // ends the export
	text, err := fetch(context.Background(), dpu, descriptor)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: the host's text
}
