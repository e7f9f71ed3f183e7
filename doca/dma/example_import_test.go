package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A program on the host exports memory, and a program on the DPU copies from it. Here both are
// one program. Otherwise the descriptor goes from one to the other, for example with package comch.
func ExampleDMA_Copy_import() {
	// On the host.
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{
		Devices: []*doca.Device{host},
		Access:  doca.AccessLocalReadWrite | doca.AccessPCIReadOnly, // what the DPU may do
	})
	if err != nil {
		log.Fatal(err)
	}
	copy(mem.Bytes(), "from the host")
	descriptor, err := mem.ExportPCI(host)
	if err != nil {
		log.Fatal(err)
	}

	// On the DPU.
	text, err := fetch(context.Background(), descriptor, len("from the host"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output: from the host
}

// fetch copies the first n bytes of a memory that the host has exported.
func fetch(ctx context.Context, descriptor []byte, n int) ([]byte, error) {
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		return nil, err
	}
	defer dpu.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return nil, err
	}
	defer pe.Close()
	copier, err := dma.New(dpu, pe, dma.Config{})
	if err != nil {
		return nil, err
	}
	remote, err := doca.ImportMemory(dpu, descriptor)
	if err != nil {
		return nil, err
	}
	local, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{dpu}})
	if err != nil {
		return nil, err
	}
	if err := copier.CopyRange(ctx, local, 0, remote, 0, n); err != nil {
		return nil, err
	}
	return append([]byte(nil), local.Bytes()...), nil // local is freed with the device
}
