// Command demo shows DOCA at work: on the installed SDK and a BlueField if there is one, else
// on the emulator. It copies a text and then 64 MiB with DOCA DMA, and a kernel on the DPA adds up numbers. Then two processes, one as
// the host and one as the DPU, exchange messages and data with DOCA Comch, and one process writes to
// the memory of another one with DOCA RDMA. If its argument is the path of the program
// examples/dma_copy, two processes of that copy a file.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

const (
	size = 64 << 20
	step = 1 << 20 // bytes of each copy, and of each message
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	defer stop()
	do := run
	switch { // the second process, see startSelf
	case len(os.Args) == 4 && os.Args[1] == asHost:
		do = func(ctx context.Context) error { return host(ctx, os.Args[2], os.Args[3]) }
	case len(os.Args) == 3 && os.Args[1] == asWriter:
		do = func(ctx context.Context) error { return writer(ctx, os.Args[2]) }
	case len(os.Args) > 2 || len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "-"):
		fmt.Fprintln(os.Stderr, "usage: demo [PROGRAM]\nPROGRAM is the path of examples/dma_copy, built, as make demo gives it: then a file is copied, too.")
		os.Exit(2)
	}
	if err := do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if err := copies(ctx); err != nil {
		return err
	}
	if err := kernel(ctx); err != nil {
		return err
	}
	if err := channel(ctx); err != nil {
		return err
	}
	if err := written(ctx); err != nil {
		return err
	}
	if len(os.Args) != 2 {
		fmt.Println("file:    run make demo to copy a file between two processes as well")
		return nil
	}
	if err := file(ctx, os.Args[1]); err != nil {
		return err
	}
	fmt.Println("next:    go run ./cmd/doca doctor says what this machine has for DOCA, and what it lacks")
	return nil
}

// copies is the part that shows DMA.
func copies(ctx context.Context) (err error) {
	info, err := device()
	if err != nil {
		return err
	}
	provider, err := doca.Provider()
	if err != nil {
		return err
	}
	fmt.Printf("DOCA:    %s\ndevice:  %s\n", provider, info)

	dev, err := doca.OpenDevice(info.PCIAddr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copier.Close()) }()
	if err := copyText(ctx, dev, copier, "Hello from DOCA DMA, in Go."); err != nil {
		return err
	}
	return copyMuch(ctx, dev, copier)
}

// device finds the first device that can copy. If the installed SDK has none, and was not asked for, it starts the
// program again on the emulator: a process chooses its DOCA only once.
func device() (doca.DeviceInfo, error) {
	devices, err := doca.Devices()
	var why error // why the last one cannot copy: it lacks DMA, or libdoca_dma cannot be loaded
	for _, d := range devices {
		if why = dma.Supported(d); why == nil {
			return d, nil
		}
	}
	if p, perr := doca.Provider(); perr == nil && p.Name != emulator.Name && p.Name != os.Getenv("DOCA_PROVIDER") {
		fmt.Printf("The installed SDK (%s) has no device that can copy: running on the emulator.\n", p)
		self, xerr := os.Executable()
		if xerr == nil {
			os.Setenv("DOCA_PROVIDER", emulator.Name) // in its place: of two values, the first one counts
			xerr = syscall.Exec(self, os.Args, os.Environ())
		}
		return doca.DeviceInfo{}, xerr
	}
	if err == nil && len(devices) == 0 {
		err = errors.New("DOCA sees no device: go run ./cmd/doca doctor says why")
	} else if err == nil {
		err = fmt.Errorf("none of the %d devices can copy: %w", len(devices), why)
	}
	return doca.DeviceInfo{}, err
}

// pair allocates a source and a destination of n bytes, with a buffer on each.
func pair(dev *doca.Device, n int) (dst, src *doca.Buffer, err error) {
	inv, err := doca.NewInventory(2)
	if err != nil {
		return nil, nil, err
	}
	var bufs [2]*doca.Buffer
	for i := range bufs {
		mem, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{dev}})
		if err != nil {
			return nil, nil, errors.Join(err, inv.Close())
		}
		if bufs[i], err = inv.Buffer(mem, 0, n); err != nil {
			return nil, nil, errors.Join(err, inv.Close())
		}
	}
	return bufs[0], bufs[1], nil
}

// free closes what pair made.
func free(dst, src *doca.Buffer) error {
	return errors.Join(dst.Inventory().Close(), dst.Memory().Close(), src.Memory().Close())
}

func copyText(ctx context.Context, dev *doca.Device, copier *dma.DMA, text string) (err error) {
	dst, src, err := pair(dev, len(text))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free(dst, src)) }()
	copy(src.Bytes(), text)
	if err := src.SetData(0, len(text)); err != nil {
		return err
	}
	if _, err := copier.Copy(ctx, dst, src); err != nil {
		return err
	}
	fmt.Printf("text:    %q\n", dst.Data())
	return nil
}

// progress returns the progress bar of the big copy. It is silent unless stdout is a terminal.
func progress() *progressbar.ProgressBar {
	if !term.IsTerminal(int(os.Stdout.Fd())) {
		return progressbar.DefaultSilent(size)
	}
	return progressbar.NewOptions64(size, progressbar.OptionSetDescription("copying:"), progressbar.OptionSetWidth(40),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWriter(os.Stdout))
}

func copyMuch(ctx context.Context, dev *doca.Device, copier *dma.DMA) (err error) {
	dst, src, err := pair(dev, size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free(dst, src)) }()
	if _, err := rand.Read(src.Bytes()[:step]); err != nil {
		return err
	}
	for n := step; n < size; n += step {
		copy(src.Bytes()[n:], src.Bytes()[:step])
		src.Bytes()[n]++ // no two parts alike
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return err
	}
	defer inv.Close()
	clear(dst.Bytes()) // so that the kernel allocates the pages now, not while the copy is timed
	bar := progress()
	var took time.Duration
	for offset := 0; offset < size; offset += step {
		from, err := inv.Buffer(src.Memory(), offset, step)
		if err != nil {
			return err
		}
		to, err := inv.Buffer(dst.Memory(), offset, step)
		if err != nil {
			return err
		}
		if err := from.SetData(0, step); err != nil {
			return err
		}
		start := time.Now()
		if _, err := copier.Copy(ctx, to, from); err != nil {
			return err
		}
		took += time.Since(start)
		if err := errors.Join(from.Close(), to.Close(), bar.Add(step)); err != nil {
			return err
		}
	}
	if !bytes.Equal(src.Bytes(), dst.Bytes()) {
		return errors.New("the copy differs from the source")
	}
	fmt.Printf("copied:  64 MiB in %d parts, %.1f GB/s, compared byte by byte\n", size/step, float64(size)/took.Seconds()/1e9)
	return nil
}
