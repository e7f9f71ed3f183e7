package syncevent

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// Capabilities describes what a device supports of sync events.
type Capabilities struct {
	ExportPCI, ImportPCI bool // between host and DPU
	ExportNet, ImportNet bool // across the network
	DPA, GPU             bool // events that code on the DPA or on a GPU uses; this package has none for a GPU

	// The tasks of a TaskEvent.
	GetTask, SetTask, AddTask, WaitEqualTask, WaitNotEqualTask bool
}

// CapabilitiesOf returns the capabilities of a device. Any goroutine may call it. Calls the doca_sync_event_cap_ functions.
func CapabilitiesOf(info doca.DeviceInfo) (Capabilities, error) {
	var c Capabilities
	err := bind.WithDevinfo(info, func(raw *common.Devinfo) (err error) {
		c, err = capabilities(raw)
		return err
	})
	return c, err
}

// Supported returns nil if the device supports events between host and DPU, ErrNotSupported if it does not, and another error if
// the query fails. Calls doca_sync_event_cap_is_export_to_remote_pci_supported and
// doca_sync_event_cap_is_create_from_export_supported.
func Supported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, func(raw *common.Devinfo) error {
		return errors.Join(gen.CapIsExportToRemotePCISupported(raw), gen.CapIsCreateFromExportSupported(raw))
	})
}

func capabilities(raw *common.Devinfo) (Capabilities, error) {
	g, err := gen.GetCapabilities(raw)
	if err != nil {
		return Capabilities{}, err
	}
	return Capabilities{
		ExportPCI: g.ExportToRemotePCISupported, ImportPCI: g.CreateFromExportSupported,
		ExportNet: g.ExportToRemoteNetSupported, ImportNet: g.RemoteNetCreateFromExportSupported,
		DPA: g.ExportToDPASupported, GPU: g.ExportToGPUSupported,
		GetTask: g.TaskSupported, SetTask: g.TaskNotifySetSupported, AddTask: g.TaskNotifyAddSupported,
		WaitEqualTask: g.TaskWaitEqSupported, WaitNotEqualTask: g.TaskWaitNeqSupported,
	}, nil
}
