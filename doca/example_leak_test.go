package doca_test

import (
	"fmt"
	"log"
	"runtime"
	"strings"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// Find an object whose handle was dropped without Close. Without a reporter of your own such an
// object is reported on stderr.
func ExampleSetLeakReporter() {
	leaks := make(chan doca.Object, 1)
	doca.SetLeakReporter(func(o doca.Object) { leaks <- o })
	defer doca.SetLeakReporter(nil)

	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}}); err != nil {
		log.Fatal(err)
	}
	runtime.GC() // finds that nobody can close the memory any more

	leak := <-leaks
	kind, _, _ := strings.Cut(leak.Name, "#") // such as memory#2 (4096 bytes)
	file, _, _ := strings.Cut(leak.Site, ":") // file, line and function
	fmt.Printf("%s created in %s was never closed\n", kind, file)

	// Nothing is lost for good: the owner closes it.
	if err := dev.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("leaks:", len(doca.Leaks()))
	// Output:
	// memory created in example_leak_test.go was never closed
	// leaks: 0
}

// Check at the end of a program or a test that everything is closed.
func ExampleReportOpenObjects() {
	defer func() {
		if n := doca.ReportOpenObjects(); n > 0 {
			log.Fatalf("%d objects were never closed", n) // the report has named them
		}
		fmt.Println("everything is closed")
	}()

	inv, err := doca.NewInventory(8)
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()
	// Output: everything is closed
}
