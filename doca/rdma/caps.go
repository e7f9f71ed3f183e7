package rdma

import (
	"fmt"
	"net/netip"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// Capabilities describes what a device supports of RDMA. The fields of what it does not support are
// zero.
type Capabilities struct {
	Receive, Send, SendImm       bool
	Read, Write, WriteImm        bool
	CompareAndSwap, FetchAdd     bool
	EventGet, EventSet, EventAdd bool   // sync events of peers
	RC, DC                       bool   // transport types
	MaxMessageSize               uint32 // bytes of one operation
	MaxSendQueueSize             uint32 // operations
	MaxRecvQueueSize             uint32 // receives
	MaxListLen                   uint32 // buffers of a list that is sent, written or read into; 1 means no lists
	MaxReceiveListLen            uint32 // buffers of a list that is posted as a receive
	GIDTableSize                 uint32 // see [GIDs]
}

// GID is a global identifier, the address of a port of a device.
type GID [16]byte

// String returns the GID in the form of an IPv6 address, such as "fe80::1". For RoCE v2 with an
// IPv4 address it is "::ffff:192.0.2.1".
func (g GID) String() string { return netip.AddrFrom16(g).String() }

// Supported returns nil if the device can write to the memory of peers, which all RDMA devices can,
// ErrNotSupported if it cannot, and another error if the query fails. Any goroutine may call it.
// Calls doca_rdma_cap_task_write_is_supported.
func Supported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, gen.CapTaskWriteIsSupported)
}

// CapabilitiesOf returns the capabilities of a device. Any goroutine may call it. Calls the
// doca_rdma_cap_ functions.
func CapabilitiesOf(info doca.DeviceInfo) (Capabilities, error) {
	var c Capabilities
	err := bind.WithDevinfo(info, func(raw *common.Devinfo) (err error) {
		c, err = capabilities(raw)
		return err
	})
	return c, err
}

func capabilities(raw *common.Devinfo) (Capabilities, error) {
	g, err := gen.GetCapabilities(raw)
	if err != nil {
		return Capabilities{}, err
	}
	c := Capabilities{
		Receive: g.TaskReceiveSupported, Send: g.TaskSendSupported, SendImm: g.TaskSendImmSupported,
		Read: g.TaskReadSupported, Write: g.TaskWriteSupported, WriteImm: g.TaskWriteImmSupported,
		CompareAndSwap: g.TaskAtomicCmpSwpSupported, FetchAdd: g.TaskAtomicFetchAddSupported,
		EventGet: g.TaskRemoteNetSyncEventSupported, EventSet: g.TaskRemoteNetSyncEventNotifySetSupported,
		EventAdd:       g.TaskRemoteNetSyncEventNotifyAddSupported,
		RC:             gen.CapTransportTypeIsSupported(raw, TransportRC) == nil,
		DC:             gen.CapTransportTypeIsSupported(raw, TransportDC) == nil,
		MaxMessageSize: g.MaxMessageSize, MaxSendQueueSize: g.MaxSendQueueSize, MaxRecvQueueSize: g.MaxRecvQueueSize,
		MaxListLen: g.MaxSendBufListLen, GIDTableSize: g.GIDTableSize,
	}
	if c.Receive && c.RC {
		c.MaxReceiveListLen, err = gen.CapTaskReceiveGetMaxDstBufListLen(raw, TransportRC)
	}
	return c, err
}

// GIDs returns the GIDs of a device's port; Config.GIDIndex is an index in this list. An unused place
// is all zeros. Any goroutine may call it. Calls doca_rdma_cap_get_gid_table_size and
// doca_rdma_cap_get_gid.
func GIDs(info doca.DeviceInfo) ([]GID, error) {
	var out []GID
	err := bind.WithDevinfo(info, func(raw *common.Devinfo) error {
		n, err := gen.CapGetGIDTableSize(raw)
		if err != nil || n == 0 {
			return err
		}
		list := make([]gen.GID, n)
		if err := gen.CapGetGID(raw, 0, list); err != nil {
			return fmt.Errorf("%w: of %d GIDs", err, n)
		}
		for _, g := range list {
			out = append(out, g.Raw)
		}
		return nil
	})
	return out, err
}
