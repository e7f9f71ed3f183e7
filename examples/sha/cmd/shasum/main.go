// Command shasum prints the digests of files, as sha256sum and sha1sum do, computed by a device.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
)

func main() {
	device := flag.String("p", "03:00.0", "PCI `address` of the device")
	useSHA1 := flag.Bool("1", false, "SHA-1 in place of SHA-256")
	flag.Parse()
	a := sha.SHA256
	if *useSHA1 {
		a = sha.SHA1
	}
	if err := run(os.Stdout, *device, a, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// run hashes all files in one batch.
func run(out io.Writer, device string, a sha.Algorithm, names []string) error {
	if len(names) == 0 {
		return nil
	}
	dev, err := doca.OpenDevice(device)
	if err != nil {
		return err
	}
	defer dev.Close() // closes everything made on it, too, in the order that DOCA demands
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	hasher, err := sha.New(dev, pe, sha.Config{Algorithm: a})
	if err != nil {
		return err
	}
	batch, err := hasher.NewBatch(len(names))
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2 * len(names))
	if err != nil {
		return err
	}
	defer inv.Close()
	digests := make([]*doca.Buffer, len(names))
	for i, name := range names {
		src, dst, err := load(dev, inv, name, hasher.Size())
		if err != nil {
			return err
		}
		if err := batch.Add(dst, src); err != nil {
			return err
		}
		digests[i] = dst
	}
	if err := batch.Run(context.Background()); err != nil {
		return err
	}
	for i, name := range names {
		fmt.Fprintf(out, "%x  %s\n", digests[i].Data(), name)
	}
	return nil
}

// load reads a file into memory that the device reaches, with room for a digest behind it.
func load(dev *doca.Device, inv *doca.Inventory, name string, digest int) (src, dst *doca.Buffer, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	room := max(len(text), 1) // a buffer has at least one byte; its data may be empty
	mem, err := doca.NewMemory(room+digest, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return nil, nil, err
	}
	if src, err = inv.Buffer(mem, 0, room); err != nil {
		return nil, nil, err
	}
	if err = src.SetData(0, copy(src.Bytes(), text)); err != nil {
		return nil, nil, err
	}
	dst, err = inv.Buffer(mem, room, digest)
	return src, dst, err
}
