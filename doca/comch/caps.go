package comch

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Capabilities describes what a device supports of Comch. The fields of what it does not
// support are zero.
type Capabilities struct {
	Server, Client   bool   // servers (on a DPU's device), clients (on a host's)
	MaxNameLen       uint32 // bytes of a server's name, including C's final NUL
	MaxMessageSize   uint32 // bytes
	MaxRecvQueueSize uint32 // messages
	MaxSendTasks     uint32 // messages in flight
	MaxClients       uint32 // connections of one server

	Consumer ConsumerCapabilities
	Producer ProducerCapabilities
}

// ConsumerCapabilities describes what a device supports of consumers.
type ConsumerCapabilities struct {
	Supported     bool
	MaxConsumers  uint32 // consumers of one connection
	MaxTasks      uint32 // buffers posted at once
	MaxBufferSize uint32 // bytes
	MaxListLen    uint32 // buffers in a list; 1 means no lists
	MaxImmDataLen uint32 // bytes of immediate data
}

// ProducerCapabilities describes what a device supports of producers.
type ProducerCapabilities struct {
	Supported     bool
	MaxProducers  uint32 // producers of one connection
	MaxTasks      uint32 // sends in flight
	MaxBufferSize uint32 // bytes
	MaxListLen    uint32 // buffers in a list; 1 means no lists
}

// ServerSupported returns nil if servers can run on the device, [doca.ErrNotSupported] if they
// cannot, and another error if the query fails. Calls doca_comch_cap_server_is_supported.
func ServerSupported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, gen.CapServerIsSupported)
}

// ClientSupported returns nil if clients can run on the device, [doca.ErrNotSupported] if they
// cannot, and another error if the query fails. Calls doca_comch_cap_client_is_supported.
func ClientSupported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, gen.CapClientIsSupported)
}

// Supported returns nil if servers or clients can run on the device, [doca.ErrNotSupported] if
// neither can, and another error if the query fails. Calls doca_comch_cap_server_is_supported
// and doca_comch_cap_client_is_supported.
func Supported(info doca.DeviceInfo) error {
	err := ServerSupported(info)
	if errors.Is(err, doca.ErrNotSupported) {
		return ClientSupported(info)
	}
	return err
}

// CapabilitiesOf returns the capabilities of a device. Any goroutine may call it. Calls the
// doca_comch_cap_, doca_comch_consumer_cap_ and doca_comch_producer_cap_ functions.
func CapabilitiesOf(info doca.DeviceInfo) (Capabilities, error) {
	var c Capabilities
	err := bind.WithDevinfo(info, func(raw *common.Devinfo) (err error) {
		c, err = capabilities(raw)
		return err
	})
	return c, err
}

func capabilities(raw *common.Devinfo) (c Capabilities, err error) {
	g, err := gen.GetCapabilities(raw)
	if err != nil {
		return c, err
	}
	con, err := gen.GetConsumerCapabilities(raw)
	if err != nil {
		return c, err
	}
	pro, err := gen.GetProducerCapabilities(raw)
	if err != nil {
		return c, err
	}
	return Capabilities{
		Server: g.ServerSupported, Client: g.ClientSupported,
		MaxNameLen: g.MaxNameLen, MaxMessageSize: g.MaxMsgSize, MaxRecvQueueSize: g.MaxRecvQueueSize,
		MaxSendTasks: g.MaxSendTasks, MaxClients: g.MaxClients,
		Consumer: ConsumerCapabilities{
			Supported: con.Supported, MaxConsumers: con.MaxConsumers, MaxTasks: con.MaxNumTasks,
			MaxBufferSize: con.MaxBufSize, MaxListLen: con.MaxBufListLen, MaxImmDataLen: con.MaxImmDataLen,
		},
		Producer: ProducerCapabilities{
			Supported: pro.Supported, MaxProducers: pro.MaxProducers, MaxTasks: pro.MaxNumTasks,
			MaxBufferSize: pro.MaxBufSize, MaxListLen: pro.MaxBufListLen,
		},
	}, nil
}

// capabilitiesOf returns the capabilities of an open device.
func capabilitiesOf(dev *common.Dev) (Capabilities, error) {
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return Capabilities{}, err
	}
	return capabilities(info)
}
