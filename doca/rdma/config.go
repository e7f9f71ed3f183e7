package rdma

import (
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// The defaults of the fields of a Config.
const (
	DefaultMaxTasks    = 128
	DefaultMaxReceives = 128
	DefaultPermissions = doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite | doca.AccessRDMAAtomic
)

// Transport is the transport type of a context's connections, enum doca_rdma_transport_type.
type Transport = gen.TransportType

// The transport types.
const (
	TransportRC = gen.TransportTypeRc // reliable connection
	TransportDC = gen.TransportTypeDc // dynamically connected
)

// MTU is a maximum transmission unit, enum doca_mtu_size.
type MTU = common.MTUSize

// The MTUs that RDMA has.
const (
	MTU256  = common.MTUSize256Bytes
	MTU512  = common.MTUSize512Bytes
	MTU1024 = common.MTUSize1kBytes
	MTU2048 = common.MTUSize2kBytes
	MTU4096 = common.MTUSize4kBytes
)

// Config holds the options of an RDMA context. The zero value suits most programs. [New] returns
// ErrInvalidValue for a value that the device does not support.
type Config struct {
	// Permissions says what peers may do, on this context, with the memory that was exported to
	// them: AccessRDMARead, AccessRDMAWrite and AccessRDMAAtomic, and AccessLocalReadWrite. An
	// exported memory has permissions of its own, and both must allow an access. 0 means
	// DefaultPermissions: the memory's permissions decide.
	Permissions doca.Access

	// Transport is the transport type of the connections. The zero value is TransportRC.
	Transport Transport

	// MaxConnections is the number of connections that can be open at once. 0 means DOCA's default,
	// which is 1. A context that listens refuses those that dial it when it has as many.
	MaxConnections int

	// MaxTasks is the number of operations of each kind (writes, reads, sends and so on) that can
	// be in flight at once, on all connections together; further ones wait. 0 means DefaultMaxTasks.
	MaxTasks int

	// MaxReceives is the number of receives that can be posted at once. 0 means DefaultMaxReceives.
	MaxReceives int

	// MaxListLen is the number of buffers that a list may have which is sent, written or read into.
	// 0 means DOCA's default. ReceiveListLen is the same for the lists that are posted as receives;
	// 0 means 1: no lists.
	MaxListLen, ReceiveListLen int

	// SendQueueSize and RecvQueueSize are the sizes of the queues of each connection. DOCA rounds
	// them up to powers of two. RecvQueueSize is for data paths on a GPU or DPA alone. 0 means
	// DOCA's default.
	SendQueueSize, RecvQueueSize int

	// GIDIndex points to the index of the port's GID to use, see [GIDs]; nil means DOCA's default.
	// For RoCE that is the index of a RoCE v2 address, and needs GRH.
	GIDIndex *uint32

	// GRH makes packets have a global routing header. RoCE needs it, and DOCA sets it for RoCE.
	GRH bool

	// MTU points to the maximum transmission unit; nil means DOCA's default.
	MTU *MTU

	// SL is the service level, 0 to 15.
	SL uint32

	// RNRRetries points to the number of retries of a message for which the peer has no receive
	// posted: 0 to 7, where 7 means that they never end. nil means DOCA's default.
	RNRRetries *uint8

	// RequestTimeout limits a request by address ([RDMA.Dial]): up to 65535 ms. 0 means DOCA's
	// default.
	RequestTimeout time.Duration
}

// numbers checks the numbers of a config and fills in the defaults. of names the config's type in errors.
func (cfg *Config) numbers(of string) error {
	if cfg.Permissions == 0 {
		cfg.Permissions = DefaultPermissions
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
		most  int64
	}{
		{"MaxConnections", &cfg.MaxConnections, 0, 1<<16 - 1},
		{"MaxTasks", &cfg.MaxTasks, DefaultMaxTasks, 1 << 20},
		{"MaxReceives", &cfg.MaxReceives, DefaultMaxReceives, 1 << 20},
		{"MaxListLen", &cfg.MaxListLen, 0, 1<<32 - 1},
		{"ReceiveListLen", &cfg.ReceiveListLen, 1, 1<<32 - 1},
		{"SendQueueSize", &cfg.SendQueueSize, 0, 1<<32 - 1},
		{"RecvQueueSize", &cfg.RecvQueueSize, 0, 1<<32 - 1},
	} {
		if *f.value < 0 || int64(*f.value) > f.most {
			return fmt.Errorf("%w: %s.%s is %d, it can be up to %d", doca.ErrInvalidValue, of, f.name, *f.value, f.most)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	if ms := cfg.RequestTimeout / time.Millisecond; cfg.RequestTimeout < 0 || ms > 1<<16-1 || cfg.RequestTimeout > 0 && ms == 0 {
		return fmt.Errorf("%w: Config.RequestTimeout is %v, it can be 1 ms to 65535 ms", doca.ErrInvalidValue, cfg.RequestTimeout)
	}
	return nil
}

// apply sets the options of DOCA's context. The numbers are checked. of names the config's type in errors.
func (cfg *Config) apply(raw *gen.RDMA, of string) error {
	type step struct {
		name  string
		wants bool
		set   func() error
	}
	for _, s := range []step{
		{"Permissions", true, func() error { return gen.SetPermissions(raw, uint32(cfg.Permissions&^doca.AccessLocalReadOnly)) }},
		{"Transport", cfg.Transport != TransportRC, func() error { return gen.SetTransportType(raw, cfg.Transport) }},
		{"MaxConnections", cfg.MaxConnections > 0, func() error { return gen.SetMaxNumConnections(raw, uint16(cfg.MaxConnections)) }},
		{"MaxListLen", cfg.MaxListLen > 0, func() error { return gen.SetMaxSendBufListLen(raw, uint32(cfg.MaxListLen)) }},
		{"ReceiveListLen", cfg.ReceiveListLen > 1, func() error { return gen.TaskReceiveSetDstBufListLen(raw, uint32(cfg.ReceiveListLen)) }},
		{"SendQueueSize", cfg.SendQueueSize > 0, func() error { return gen.SetSendQueueSize(raw, uint32(cfg.SendQueueSize)) }},
		{"RecvQueueSize", cfg.RecvQueueSize > 0, func() error { return gen.SetRecvQueueSize(raw, uint32(cfg.RecvQueueSize)) }},
		{"GIDIndex", cfg.GIDIndex != nil, func() error { return gen.SetGIDIndex(raw, *cfg.GIDIndex) }},
		{"GRH", cfg.GRH, func() error { return gen.SetGRHEnabled(raw, 1) }},
		{"MTU", cfg.MTU != nil, func() error { return gen.SetMTU(raw, *cfg.MTU) }},
		{"SL", cfg.SL != 0, func() error { return gen.SetSL(raw, cfg.SL) }},
		{"RNRRetries", cfg.RNRRetries != nil, func() error { return gen.SetRNRRetryCount(raw, *cfg.RNRRetries) }},
		{"RequestTimeout", cfg.RequestTimeout > 0, func() error {
			return gen.SetConnectionRequestTimeout(raw, uint16(cfg.RequestTimeout/time.Millisecond))
		}},
	} {
		if !s.wants {
			continue
		}
		if err := s.set(); err != nil {
			return fmt.Errorf("%w: %s.%s", err, of, s.name)
		}
	}
	return nil
}
