package bind_test

import (
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/generated/common"
)

// A program calls a function of DOCA that package doca does not wrap: here one that asks what a device can do.
func ExampleWithDevinfo() {
	infos, err := doca.Devices()
	if err != nil {
		log.Fatal(err)
	}
	err = bind.WithDevinfo(infos[0], func(raw *common.Devinfo) error {
		moderates, err := common.DevinfoCapIsNotificationModerationSupported(raw)
		if err == nil {
			fmt.Println("notifications can be moderated:", moderates)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: notifications can be moderated: false
}
