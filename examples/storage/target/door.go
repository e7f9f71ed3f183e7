package target

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// door lets relays in, as many as there are places. While none is free, nobody listens at the port: a relay sees that nobody serves it,
// and can wait.
type door struct {
	addr net.Addr

	mu     sync.Mutex
	l      net.Listener // nil while no place is free
	places int          // that are free
	err    error        // why nobody gets in any more
}

func newDoor(l net.Listener, places int) *door {
	return &door{addr: l.Addr(), l: l, places: places}
}

// accept waits for a peer, which takes a place. It returns nil if nobody gets in any more.
func (d *door) accept() net.Conn {
	d.mu.Lock()
	l, err := d.l, d.err
	d.mu.Unlock()
	if err != nil {
		return nil
	}
	conn, err := l.Accept()
	if err != nil {
		d.close(err)
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.places--; d.places == 0 && d.l != nil {
		d.l.Close()
		d.l = nil
	}
	return conn
}

// leave gives a place back.
func (d *door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.places++
	if d.l == nil && d.err == nil {
		d.l, d.err = net.Listen(d.addr.Network(), d.addr.String())
	}
}

// close lets nobody in any more, for the reason err.
func (d *door) close(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
	if d.l != nil {
		d.l.Close()
		d.l = nil
	}
}

// why returns why nobody gets in any more; nil if the places were enough.
func (d *door) why() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	var cfg net.ListenConfig
	return cfg.Listen(ctx, "tcp4", fmt.Sprintf(":%d", port))
}

func port(l net.Listener) string {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return l.Addr().String()
	}
	return port
}
