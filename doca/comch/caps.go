package comch

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Capabilities are what a device can do with Comch. What it cannot do at all is zero.
type Capabilities struct {
	Server, Client   bool   // it can have servers (a DPU's device), clients (a host's)
	MaxNameLen       uint32 // of a server's name, in bytes
	MaxMessageSize   uint32 // bytes
	MaxRecvQueueSize uint32 // messages
	MaxSendTasks     uint32 // messages on their way
	MaxClients       uint32 // connections of one server

	Consumer ConsumerCapabilities
	Producer ProducerCapabilities
}

// ConsumerCapabilities are what the consumers of a device can do.
type ConsumerCapabilities struct {
	Supported     bool
	MaxConsumers  uint32 // of one connection
	MaxTasks      uint32 // buffers posted at once
	MaxBufferSize uint32 // bytes
	MaxListLen    uint32 // buffers in a list; 1: no lists
	MaxImmDataLen uint32 // bytes of immediate data
}

// ProducerCapabilities are what the producers of a device can do.
type ProducerCapabilities struct {
	Supported     bool
	MaxProducers  uint32 // of one connection
	MaxTasks      uint32 // sends at once
	MaxBufferSize uint32 // bytes
	MaxListLen    uint32 // buffers in a list; 1: no lists
}

// ServerSupported tells whether a device can have servers: nil, [doca.ErrNotSupported], or
// why it cannot be told. Stands on doca_comch_cap_server_is_supported.
func ServerSupported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, gen.CapServerIsSupported)
}

// ClientSupported tells whether a device can have clients: nil, [doca.ErrNotSupported], or
// why it cannot be told. Stands on doca_comch_cap_client_is_supported.
func ClientSupported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, gen.CapClientIsSupported)
}

// Supported tells whether a device can have servers or clients: nil,
// [doca.ErrNotSupported], or why it cannot be told.
func Supported(info doca.DeviceInfo) error {
	err := ServerSupported(info)
	if errors.Is(err, doca.ErrNotSupported) {
		return ClientSupported(info)
	}
	return err
}

// CapabilitiesOf returns the capabilities of a device. It may be called from any goroutine.
// Stands on the doca_comch_cap_, doca_comch_consumer_cap_ and doca_comch_producer_cap_
// functions.
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
