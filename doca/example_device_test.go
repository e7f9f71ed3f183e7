package doca_test

import (
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// Open a device by its PCI address, in the short or the long form.
func ExampleOpenDevice() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err) // if no device has the address, the message lists those that there are
	}
	defer dev.Close()

	info := dev.Info()
	fmt.Println(info.PCIAddr, info.Ibdev, info.Interface)
	// Output: 0000:03:00.0 mlx5_0 p0
}

// Open the first device that has a capability.
func ExampleOpenDeviceFunc() {
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool {
		return dma.Supported(info) == nil
	})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	fmt.Println(dev.Info())
	// Output: 0000:03:00.0 mlx5_0 p0
}

// List the devices of this machine. The emulator has the functions of both sides, those of the
// DPU and those of its host.
func ExampleDevices() {
	devices, err := doca.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, info := range devices {
		fmt.Println(info.PCIAddr)
	}
	// Output:
	// 0000:03:00.0
	// 0000:03:00.1
	// 0000:b1:00.0
	// 0000:b1:00.1
}

// List the functions of the host that a device of the DPU represents.
func ExampleDevice_Representors() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	reps, err := dev.Representors(doca.RepresentorsNet)
	if err != nil {
		log.Fatal(err)
	}
	for _, info := range reps {
		fmt.Println(info.PCIAddr) // for OpenRepresentor
	}
	// Output: 0000:b1:00.0
}

// Ask which DOCA the program runs on.
func ExampleProvider() {
	provider, err := doca.Provider()
	if err != nil {
		log.Fatal(err) // there is none: the message says what was tried
	}
	fmt.Println(provider.Name)
	// Output: emulator
}
