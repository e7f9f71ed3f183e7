package comchnet

import (
	"net"
	"strconv"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca/comch"
)

// Addr is the address of one end of a stream. It is a net.Addr.
type Addr struct {
	Name    string // the name of the server
	PCIAddr string // the PCI address of the function; empty for the DPU's address on the host

	// Stream tells the client's ends of streams apart, as a port does. Each process counts its
	// streams from 1, so the two sides of a stream have different numbers for it. It is 0 for the
	// server's end and for a listener.
	Stream uint64
}

// Network returns "comch".
func (Addr) Network() string { return "comch" }

// String returns the name, and the PCI address if the address has one: "web@0000:03:00.0". With the number of a stream it has the
// form of a host and a port, so that net.SplitHostPort accepts it: "[web@0000:b1:00.0]:7".
func (a Addr) String() string {
	s := a.Name
	if a.PCIAddr != "" {
		s += "@" + a.PCIAddr
	}
	if a.Stream != 0 {
		s = net.JoinHostPort(s, strconv.FormatUint(a.Stream, 10))
	}
	return s
}

// streams counts the streams of this process.
var streams atomic.Uint64

// addrs returns the local and the remote address of a connection.
func addrs(raw *comch.Conn) (local, remote Addr) {
	local = Addr{Name: raw.Name(), PCIAddr: raw.Device().Info().PCIAddr}
	remote = Addr{Name: raw.Name()}
	if s := raw.Server(); s != nil {
		remote.PCIAddr = s.Representor().Info().PCIAddr
		remote.Stream = streams.Add(1)
	} else {
		local.Stream = streams.Add(1)
	}
	return local, remote
}
