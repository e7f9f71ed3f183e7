package doca_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// Test errors for DOCA's codes with errors.Is. An OpError tells what was tried, and what to do.
func ExampleOpError() {
	_, err := doca.OpenDeviceByIbdev("mlx5_9")
	if errors.Is(err, doca.ErrNotFound) {
		fmt.Println("there is no such device")
	}
	var failed *doca.OpError
	if errors.As(err, &failed) {
		fmt.Printf("operation: %s\nobject:    %s\n", failed.Op, failed.Object)
	}
	// Output:
	// there is no such device
	// operation: open device
	// object:    RDMA device mlx5_9
}

// A call that the state of an object forbids returns a StateError and does not reach DOCA.
func ExampleStateError() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		log.Fatal(err)
	}

	_, err = dev.OpenRepresentor("b1:00.0")
	var state *doca.StateError
	if errors.As(err, &state) {
		fmt.Println("the device is", state.State)
	}
	fmt.Println(errors.Is(err, doca.ErrClosed), errors.Is(err, doca.ErrBadState))
	// Output:
	// the device is closed
	// true true
}
