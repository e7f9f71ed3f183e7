package dma_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// CopyFile copies a file on this machine.
func ExampleDMA_CopyFile() {
	dir, err := os.MkdirTemp("", "dma")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := os.WriteFile(src, []byte("the file"), 0o644); err != nil {
		log.Fatal(err)
	}
	if err := copyFile(context.Background(), dst, src); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(dst)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// 8 bytes
	// the file
}

func copyFile(ctx context.Context, dst, src string) error {
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return dma.Supported(info) == nil })
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	n, err := copier.CopyFile(ctx, dst, src)
	if err != nil {
		return err
	}
	fmt.Println(n, "bytes")
	return nil
}
