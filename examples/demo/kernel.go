package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/examples/dpa_kernel_launch/kernels"
)

// kernel is the part that shows the DPA: threads there add up numbers.
func kernel(ctx context.Context) (err error) {
	const threads, count = 4, 1_000_000
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return dpa.Supported(info) == nil })
	if errors.Is(err, doca.ErrNotFound) {
		fmt.Println("kernel:  no device has a DPA that this program can use")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	d, err := dpa.New(dev, dpa.Config{App: kernels.App()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	numbers := make([]uint64, count)
	for i := range numbers {
		numbers[i] = uint64(i) + 1
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
	if want := uint64(count) * (count + 1) / 2; sum != want {
		return fmt.Errorf("the kernel has added up %d, not %d", sum, want)
	}
	fmt.Printf("kernel:  %d threads of the DPA have added up a million numbers: %d\n", threads, sum)
	return nil
}
