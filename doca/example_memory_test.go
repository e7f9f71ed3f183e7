package doca_test

import (
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// Allocate memory that a device can reach. Go and the device see the same bytes.
func ExampleNewMemory() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close() // dev.Close would do it, too

	n := copy(mem.Bytes(), "for the device")
	fmt.Println(n, "of", mem.Len(), "bytes used")
	// Output: 14 of 1048576 bytes used
}

// Let a device use memory that the program has already. Close unpins it.
func ExampleRegisterMemory() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	data := []byte("from the Go heap")
	mem, err := doca.RegisterMemory(data, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()

	fmt.Println(&mem.Bytes()[0] == &data[0])
	// Output: true
}
