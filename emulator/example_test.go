// SPDX-License-Identifier: Apache-2.0

package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

// Choose the emulator on a machine that has an SDK as well, such as in the TestMain of a
// package. The environment decides until the first call of DOCA, and DOCA_PROVIDER=emulator in
// the shell does the same.
func Example_provider() {
	os.Setenv("DOCA_PROVIDER", emulator.Name)

	provider, err := doca.Provider()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(provider.Name)
	// Output: emulator
}

// Try what a program does when the hardware fails. The second task ends in an error, which stops
// its context, as on a BlueField; Start makes the context run again.
func ExampleFaults_Apply() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer pe.Close()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		log.Fatal(err)
	}
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		log.Fatal(err)
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()
	src, err := inv.Buffer(mem, 0, 2048)
	if err != nil {
		log.Fatal(err)
	}
	if err := src.SetData(0, 2048); err != nil {
		log.Fatal(err)
	}
	dst, err := inv.Buffer(mem, 2048, 2048)
	if err != nil {
		log.Fatal(err)
	}

	end, err := emulator.Faults{FailTasks: []emulator.TaskFault{{N: 2}}}.Apply()
	if err != nil {
		log.Fatal(err)
	}
	defer end() // in a test: t.Cleanup(end)

	ctx := context.Background()
	for range 2 {
		_, err := copier.Copy(ctx, dst, src)
		fmt.Println("failed:", errors.Is(err, doca.ErrIOFailed))
	}
	if err := copier.Start(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = copier.Copy(ctx, dst, src)
	fmt.Println("failed:", err != nil)
	// Output:
	// failed: false
	// failed: true
	// failed: false
}

// Let a call of DOCA fail. The program under test may be another process: the environment
// variable DOCA_EMU_FAULTS takes the same text.
func ExampleSetFaults() {
	if err := emulator.SetFaults("fail-call=doca_mmap_start:1:NO_MEMORY"); err != nil {
		log.Fatal(err)
	}
	defer emulator.ClearFaults()

	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	_, err = doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	fmt.Println(errors.Is(err, doca.ErrNoMemory))
	// Output: true
}
