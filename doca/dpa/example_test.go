package dpa_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
)

// A kernel adds to numbers in DPA memory, in four threads, and a function on the DPA adds them up. Package dpatest is one that gen dpa has
// written; a program has its own.
func Example() {
	if err := run(); err != nil {
		fmt.Println(err)
	}
	// Output: [11 12 13 14 15] 65
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	dev, err := doca.OpenDevice(doctest.DPU0)
	if err != nil {
		return err
	}
	defer dev.Close()
	d, err := dpa.New(dev, dpa.Config{App: dpatest.App(), Log: slog.Default().Handler()})
	if err != nil {
		return err
	}
	defer d.Close()
	memory, err := d.Alloc(5 * 8)
	if err != nil {
		return err
	}
	if err := dpa.Put(memory, 0, uint64(1), 2, 3, 4, 5); err != nil {
		return err
	}
	numbers := dpatest.Numbers{First: memory.Addr(), Count: 5}
	kernel, err := dpatest.LaunchAdd(d, dpa.LaunchOptions{Threads: 4}, numbers, 10)
	if err != nil {
		return err
	}
	if err := kernel.Wait(ctx); err != nil {
		return err
	}
	sum, err := dpatest.CallSum(ctx, d, numbers)
	if err != nil {
		return err
	}
	values, err := dpa.GetSlice[uint64](memory, 0, 5)
	fmt.Println(values, sum)
	return err
}
