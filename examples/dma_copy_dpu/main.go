// Command dma_copy_dpu copies a text with DOCA DMA out of the host's memory, which
// dma_copy_host has exported. It is the Go twin of NVIDIA's sample of the same name, with the
// same flags, files and messages.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

// How much is read of each file, in bytes: neither is longer.
const (
	maxDescriptor = 512
	maxInfo       = 512
)

type config struct {
	pci                string
	descriptor, buffer string // paths
	src, dst           int    // buffers on each side
}

func main() {
	cfg := config{pci: "03:00.0", src: 1, dst: 1}
	p := argp.New("doca_dma_copy_dpu")
	p.String(&cfg.pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI device address"})
	sample.Exchange(p, &cfg.descriptor, &cfg.buffer)
	sample.Counts(p, &cfg.src, &cfg.dst)
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		err := run(ctx, cfg)
		if err == nil {
			slog.Info("Host sample can be closed, DMA copy ended")
		}
		return err
	}))
}

// remote is what the files say about the host's memory.
type remote struct {
	descriptor []byte
	addr       uint64
	size       int
}

func read(cfg config) (r remote, err error) {
	if r.descriptor, err = readFile(cfg.descriptor, "-d", maxDescriptor); err != nil {
		return r, err
	}
	info, err := readFile(cfg.buffer, "-b", maxInfo)
	if err != nil {
		return r, err
	}
	// Two numbers, decimal, hexadecimal or octal as in C.
	addr, size, _ := strings.Cut(strings.TrimSpace(string(info)), "\n")
	addr, size = strings.TrimSpace(addr), strings.TrimSpace(size)
	const advice = "copy the file that dma_copy_host wrote last, or name it with -b"
	if r.addr, err = strconv.ParseUint(addr, 0, 64); err != nil {
		return r, fmt.Errorf("%s: line 1 is %q, not the address of the host's buffer: %s", cfg.buffer, addr, advice)
	}
	if size == "" {
		return r, fmt.Errorf("%s: line 2, the length of the host's buffer, is missing: %s: %w", cfg.buffer, advice, doca.ErrEmpty)
	}
	n, err := strconv.ParseUint(size, 0, 63)
	if err != nil {
		return r, fmt.Errorf("%s: line 2 is %q, not the length of the host's buffer: %s", cfg.buffer, size, advice)
	}
	if n == 0 {
		return r, fmt.Errorf("the host's buffer is empty: %w", doca.ErrEmpty)
	}
	r.size = int(n)
	return r, nil
}

// readFile reads at most limit bytes of a file from the host. flag is the flag that names the
// file, for errors.
func readFile(path, flag string, limit int64) ([]byte, error) {
	var content []byte
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		content, err = io.ReadAll(io.LimitReader(file, limit))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: run dma_copy_host on the host and copy both of its files here first; %s names this one", err, flag)
	}
	return content, nil
}

func run(ctx context.Context, cfg config) (err error) {
	remote, err := read(cfg)
	if err != nil {
		return err
	}
	dev, err := doca.OpenDevice(cfg.pci)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, in the order that DOCA demands.
	defer func() { err = errors.Join(err, dev.Close()) }()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{MaxTasks: 1})
	if err != nil {
		return err
	}
	limits := copier.Limits()
	if n := cfg.src + cfg.dst; n > int(limits.MaxListLen) {
		return fmt.Errorf("%d source and destination buffers are more than the device's list length of %d: ask for fewer with -ns and -nd", n, limits.MaxListLen)
	}
	if uint64(remote.size) > limits.MaxBufferSize {
		return fmt.Errorf("the host's buffer of %d bytes exceeds the device's limit of %d: %w", remote.size, limits.MaxBufferSize, doca.ErrTooBig)
	}

	src, err := doca.ImportMemory(dev, remote.descriptor)
	if err != nil {
		return fmt.Errorf("%w: keep dma_copy_host running, and copy both files that it wrote last", err)
	}
	base := uint64(src.Address())
	if remote.addr < base || remote.addr-base > uint64(src.Len()) {
		return fmt.Errorf("%s: address %#x is not within the exported memory", cfg.buffer, remote.addr)
	}
	dst, err := doca.NewMemory(remote.size, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(cfg.src + cfg.dst)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	from, err := buffers.Chain(inv, src, int(remote.addr-base), remote.size, cfg.src)
	if err != nil {
		return err
	}
	to, err := buffers.Chain(inv, dst, 0, remote.size, cfg.dst)
	if err != nil {
		return err
	}
	if _, err := copier.Copy(ctx, to, from); err != nil {
		return err
	}
	text, _, _ := bytes.Cut(dst.Bytes(), []byte{0})
	slog.Info("Remote DMA copy was done successfully")
	slog.Info("Memory content: " + string(text))
	return nil
}
