package comchnet

import "github.com/go-doca/go-doca/doca/comch"

// Addr is one end of a stream, a net.Addr.
type Addr struct {
	Name    string // of the server
	PCIAddr string // of the function; empty for the DPU's as a host sees it
}

// Network returns "comch".
func (Addr) Network() string { return "comch" }

// String returns the name and, where it is known, the function: "web@0000:b1:00.0".
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
