// Command dma_copy_host lets the DPU read a text: it exports its memory across PCI and writes
// what dma_copy_dpu needs to know into two files. It is the Go twin of NVIDIA's sample of the
// same name, with the same flags, files and messages.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const maxText = 4096

type config struct {
	pci, text          string
	descriptor, buffer string // paths
}

func main() {
	cfg := config{pci: "b1:00.0", text: "This is a sample piece of text"}
	p := argp.New("doca_dma_copy_host")
	p.String(&cfg.pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI device address"})
	sample.Text(p, &cfg.text, maxText, "Text that the DPU reads")
	sample.Exchange(p, &cfg.descriptor, &cfg.buffer)
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, cfg) }))
}

func run(ctx context.Context, cfg config) (err error) {
	dev, err := doca.OpenDevice(cfg.pci)
	if err != nil {
		return err
	}
	// Closing the device closes the memory, which ends its export.
	defer func() { err = errors.Join(err, dev.Close()) }()
	mem, err := doca.NewMemory(len(cfg.text)+1, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadOnly})
	if err != nil {
		return err
	}
	copy(mem.Bytes(), cfg.text)
	descriptor, err := mem.ExportPCI(dev)
	if err != nil {
		return err
	}
	if err := publish(cfg, descriptor, fmt.Appendf(nil, "%d\n%d", mem.Address(), mem.Len())); err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Copy %s and %s to the DPU and run the sample dma_copy_dpu there", cfg.descriptor, cfg.buffer))
	slog.Info("Press Enter when it has ended")
	select {
	case <-sample.Enter():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// publish writes both files, or leaves neither.
func publish(cfg config, descriptor, buffer []byte) error {
	if err := writeSecret(cfg.descriptor, descriptor); err != nil {
		return fmt.Errorf("the export descriptor cannot be written: %w: -d names its file", err)
	}
	if err := writeSecret(cfg.buffer, buffer); err != nil {
		return errors.Join(fmt.Errorf("the buffer's address and length cannot be written: %w: -b names their file", err), remove(cfg.descriptor))
	}
	return nil
}

// writeSecret writes a file that only this user can read: whoever has the descriptor can read
// the memory. A file that cannot be opened stays as it is; one that cannot be written is
// removed.
func writeSecret(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() { // such as /dev/stdout
		_, writeErr := f.Write(content)
		return errors.Join(err, writeErr, f.Close())
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return errors.Join(fmt.Errorf("%s belongs to another user: remove it, or take another path", path), f.Close())
	}
	err = f.Chmod(0o600)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, remove(path))
	}
	return nil
}

// remove removes a file, if there is one. What is not a regular file, such as /dev/stdout,
// stays.
func remove(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return os.Remove(path)
}
