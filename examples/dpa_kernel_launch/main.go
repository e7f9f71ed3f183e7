// Command dpa_kernel_launch starts a kernel on the DPA that waits for an event of the host, sets the event, and waits for the end of the
// kernel. Then it adds up numbers in eight threads of the DPA. The first part is what NVIDIA's sample of the same name does, with the
// same flags.
//
// The code of the kernels is in device/kernel_launch_dev.c. On a machine without DOCA they run on the emulator; for a BlueField,
// compile them with dpacc and build with -tags dpacc: see docs/dpa.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/syncevent"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/dpa_kernel_launch/kernels"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

// The values of the events, and the time until the host sets the first one.
const (
	waitThreshold = 4
	waitValue     = 5
	endValue      = 10
	waitTime      = time.Second
)

func main() {
	device := "NOT_SET"
	p := argp.New("doca_dpa_kernel_launch")
	p.String(&device, argp.Param{Short: "pf_dev", Long: "pf-device", Help: "Name of the IB device with the DPA; any unless given"})
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, device) }))
}

func run(ctx context.Context, device string) (err error) {
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool {
		return dpa.Supported(info) == nil && (device == "NOT_SET" || device == info.Ibdev)
	})
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, in the order that DOCA demands.
	defer func() { err = errors.Join(err, dev.Close()) }()
	d, err := dpa.New(dev, dpa.Config{App: kernels.App()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := hello(ctx, dev, d); err != nil {
		return err
	}
	return addUp(ctx, d)
}

// hello starts a kernel that waits, and lets it go on.
func hello(ctx context.Context, dev *doca.Device, d *dpa.DPA) (err error) {
	wait, err := syncevent.New(dev, syncevent.Config{Subscribers: syncevent.DPA, DPA: d})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, wait.Close()) }()
	end, err := syncevent.New(dev, syncevent.Config{Publishers: syncevent.DPA, DPA: d})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end.Close()) }()
	opts := dpa.LaunchOptions{Wait: wait, WaitThreshold: waitThreshold, Completion: end, CompletionCount: endValue}
	launch, err := kernels.LaunchHelloWorld(d, opts)
	if err != nil {
		return err
	}
	slog.Info("The kernel waits for the event")
	select {
	case <-time.After(waitTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := wait.Set(ctx, waitValue); err != nil {
		return err
	}
	if err := launch.Wait(ctx); err != nil {
		return err
	}
	slog.Info("The kernel has ended")
	return nil
}

// addUp adds up numbers in threads of the DPA, and checks the result.
func addUp(ctx context.Context, d *dpa.DPA) (err error) {
	const threads, count = 8, 10_000
	numbers, want := make([]uint64, count), uint64(0)
	for i := range numbers {
		numbers[i] = uint64(i) * uint64(i)
		want += numbers[i]
	}
	memory, err := d.Alloc(8 * count)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	if err := dpa.Put(memory, 0, numbers...); err != nil {
		return err
	}
	sums, err := d.Alloc(8 * threads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sums.Close()) }()
	launch, err := kernels.LaunchAddUp(d, dpa.LaunchOptions{Threads: threads}, memory.Addr(), count, sums.Addr())
	if err != nil {
		return err
	}
	if err := launch.Wait(ctx); err != nil {
		return err
	}
	parts, err := dpa.GetSlice[uint64](sums, 0, threads)
	if err != nil {
		return err
	}
	sum := uint64(0)
	for _, part := range parts {
		sum += part
	}
	if sum != want {
		return fmt.Errorf("the sum is %d, not %d", sum, want)
	}
	slog.Info(fmt.Sprintf("%d threads have added up %d numbers: %d", threads, count, sum))
	return nil
}
