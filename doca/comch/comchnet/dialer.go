package comchnet

import (
	"context"
	"net"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// Dialer connects to servers on the DPU. Its DialContext fits http.Transport and what else takes
// the method of that name of net.Dialer:
//
//	d := &comchnet.Dialer{Device: dev}
//	client := &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
//	resp, err := client.Get("http://web/index.html") // from the server "web"
//
// The name of a server that cannot be a host in a URL goes into Name. A Transport that is a clone of
// http.DefaultTransport uses the proxies of the environment, which are no servers on the DPU: set its Proxy to nil.
//
// Device must be set. Any goroutine may use a Dialer that nobody changes.
type Dialer struct {
	Device *doca.Device // the function of the host that the connections begin on
	Name   string       // the name of the server; empty: the address says it
	Config comch.Config // of the connections; the zero value suits most programs
}

// DialContext connects to a server and returns a [*Conn]. ctx limits the connecting alone. If Name
// is set, DialContext connects to that server, whatever network and addr are. Otherwise addr is the
// name of the server if network is "comch". If network is "tcp", "tcp4" or "tcp6", addr is
// "name:port", and the port is ignored. Any other network is a net.UnknownNetworkError. The errors
// are of type *net.OpError and wrap those of [comch.Dial]. Calls doca_comch_client_create and
// doca_ctx_start.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: Addr{Name: addr}, Err: err}
	}
	if d == nil || d.Device == nil {
		return fail(&doca.OpError{Op: "dial", Object: "Dialer", Err: doca.ErrInvalidValue, Advice: "the Dialer has no Device: set it to a device of the host"})
	}
	name := d.Name
	if name == "" {
		var err error
		if name, err = serverName(network, addr); err != nil {
			return fail(err)
		}
	}
	c, err := Dial(ctx, d.Device, name, d.Config)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// serverName returns the name of the server that an address means.
func serverName(network, addr string) (string, error) {
	switch network {
	case Addr{}.Network():
		return addr, nil
	case "tcp", "tcp4", "tcp6":
		name, _, err := net.SplitHostPort(addr)
		return name, err
	}
	return "", net.UnknownNetworkError(network)
}
