// Package rdmasample has what the twins of NVIDIA's RDMA samples share: the parameters, the connection, by files that the user
// copies or by address, and the way in which a responder tells a requester about its memory or its sync event.
package rdmasample

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const (
	// DefaultText is what is sent, read or written if the command line says nothing.
	DefaultText = "Hi DOCA RDMA!"
	// MaxText is the length of the longest text, in bytes.
	MaxText = 256
	// RangeSize is the length, in bytes, of the memory that a responder exports, and of the buffers that receive messages.
	RangeSize = 4096

	maxConnections = 8
	defaultPort    = 13579
)

// Config is what the command line says.
type Config struct {
	device string // an IB device's name

	// Paths: the details of the connection, this side's and the peer's, and the descriptor of the responder's memory or event.
	local, remote, resource string

	gid         int // -1: DOCA's default
	transport   rdma.Transport
	connections int

	byAddress bool
	port      int
	server    string // its address; empty on the server's side
	addrType  rdma.AddrType
}

// NewConfig returns the defaults, and adds the parameters of all samples to p.
func NewConfig(p *argp.Parser) *Config {
	c := &Config{
		local: "/tmp/local_connection_desc_path.txt", remote: "/tmp/remote_connection_desc_path.txt", resource: "/tmp/remote_resource_desc_path.txt",
		gid: -1, transport: rdma.TransportRC, connections: 1, port: defaultPort, addrType: rdma.AddrIPv4,
	}
	p.String(&c.device, argp.Param{Short: "d", Long: "device", Argument: "<name>", Mandatory: true, Help: "Name of the IB device"})
	p.String(&c.local, argp.Param{Short: "ld", Long: "local-descriptor-path", Argument: "<path>", Help: "Path of the file to write, with this side's connection details. Copy it to the peer"})
	p.String(&c.remote, argp.Param{Short: "re", Long: "remote-descriptor-path", Argument: "<path>", Help: "Path of the copy of the peer's file"})
	p.Int(&c.gid, 0, argp.Param{Short: "g", Long: "gid-index", Help: "Index of the GID to use"})
	p.String(nil, argp.Param{Short: "tt", Long: "transport-type", Argument: "<RC|DC>", Help: "Transport type, RC by default", Set: c.setTransport})
	p.Bool(&c.byAddress, argp.Param{Short: "cm", Long: "use-rdma-cm", Help: "Connect by address instead of files"})
	p.Int(&c.port, 1, argp.Param{Short: "lp", Long: "listen-port", Help: fmt.Sprintf("Port that the server listens on, %d by default (with -cm)", defaultPort)})
	p.String(&c.server, argp.Param{Short: "sa", Long: "server-addr", Argument: "<address>", Help: "Address of the server. This side is the client then (with -cm)"})
	p.String(nil, argp.Param{Short: "sat", Long: "server-addr-type", Argument: "<IPv4|IPv6|GID>", Help: "Type of the server's address, IPv4 by default (with -cm)", Set: c.setAddrType})
	return c
}

// AddResource adds the parameter -m, of requesters and responders.
func (c *Config) AddResource(p *argp.Parser) {
	p.String(&c.resource, argp.Param{Short: "m", Long: "remote-resource-descriptor-path", Argument: "<path>", Help: "Path of the file that tells the requester about the responder's memory or sync event"})
}

// AddConnections adds the parameter -nc, of the samples with several connections.
func (c *Config) AddConnections(p *argp.Parser) {
	p.Int(&c.connections, 1, argp.Param{Short: "nc", Long: "num-connections", Help: fmt.Sprintf("Number of connections, 1 to %d", maxConnections)})
}

// Text adds a parameter for the text that is sent, read or written.
func Text(p *argp.Parser, text *string, q argp.Param) {
	*text = DefaultText
	sample.Limited(p, text, MaxText, q)
}

func (c *Config) setTransport(s string) error {
	switch strings.ToUpper(s) {
	case "RC":
		c.transport = rdma.TransportRC
	case "DC":
		c.transport = rdma.TransportDC
	default:
		return fmt.Errorf("%q is neither RC nor DC", s)
	}
	return nil
}

func (c *Config) setAddrType(s string) error {
	switch strings.ToUpper(s) {
	case "IPV4":
		c.addrType = rdma.AddrIPv4
	case "IPV6":
		c.addrType = rdma.AddrIPv6
	case "GID":
		c.addrType = rdma.AddrGID
	default:
		return fmt.Errorf("%q is none of IPv4, IPv6 and GID", s)
	}
	return nil
}

// check finds what no single parameter shows.
func (c *Config) check() error {
	switch {
	case c.connections > maxConnections:
		return fmt.Errorf("%d connections are too many: -nc is at most %d", c.connections, maxConnections)
	case c.port > math.MaxUint16:
		return fmt.Errorf("there is no port %d: -lp is at most %d", c.port, math.MaxUint16)
	case c.transport == rdma.TransportDC && c.byAddress:
		return errors.New("transport DC does not connect by address: leave out -cm, or take -tt RC")
	case c.transport == rdma.TransportDC && c.connections > 1:
		return errors.New("transport DC takes one connection: leave out -nc, or take -tt RC")
	case c.server != "" && !c.byAddress:
		return errors.New("-sa needs -cm: without it, the sides connect by files")
	}
	return nil
}
