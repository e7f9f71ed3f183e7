package comchnet

import "github.com/go-doca/go-doca/doca/comch"

// Addr is the address of one end of a stream. It is a net.Addr.
type Addr struct {
	Name    string // the name of the server
	PCIAddr string // the PCI address of the function; empty for the DPU's address on the host
}

// Network returns "comch".
func (Addr) Network() string { return "comch" }

// String returns the name and, if it is known, the PCI address: "web@0000:b1:00.0".
func (a Addr) String() string {
	if a.PCIAddr == "" {
		return a.Name
	}
	return a.Name + "@" + a.PCIAddr
}

// addrs returns the local and the remote address of a connection.
func addrs(raw *comch.Conn) (local, remote Addr) {
	local = Addr{raw.Name(), raw.Device().Info().PCIAddr}
	remote = Addr{Name: raw.Name()}
	if s := raw.Server(); s != nil {
		remote.PCIAddr = s.Representor().Info().PCIAddr
	}
	return local, remote
}
