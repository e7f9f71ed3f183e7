// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// Serve answers the requests of one measuring side until the link ends. device is the local one, or empty.
func Serve(ctx context.Context, l *Link, device string) error {
	return serve(ctx, l, device, func() error { return nil })
}

// serve is Serve. It calls asked after it has read a request.
func serve(ctx context.Context, l *Link, device string, asked func() error) error {
	var held []io.Closer
	defer func() {
		for _, c := range held {
			_ = c.Close() // the measuring side has gone
		}
	}()
	for {
		var q request
		if err := l.read(&q); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("the measuring side: %w", err)
		}
		if err := asked(); err != nil {
			return err
		}
		r, closer, err := answer(ctx, q, device)
		if closer != nil {
			held = append(held, closer)
		}
		if err != nil {
			r = reply{Error: err.Error()}
		}
		if err := l.out.Encode(r); err != nil {
			return fmt.Errorf("the measuring side is gone: %w", err)
		}
	}
}

func answer(ctx context.Context, q request, device string) (reply, io.Closer, error) {
	if q.Bytes < 1 || q.Bytes > maxMemory || q.Window < 1 || q.Size < 1 || q.Size > q.Bytes {
		return reply{}, nil, fmt.Errorf("asked for %d bytes, messages of %d and a window of %d", q.Bytes, q.Size, q.Window)
	}
	switch q.Library {
	case "dma":
		return serveDMA(q, device)
	case "comch":
		return serveComch(ctx, q, device)
	case "rdma":
		return serveRDMA(q, device)
	}
	return reply{}, nil, fmt.Errorf("there is no library %q", q.Library)
}

// patience is how long a connection may take to ask for something, for others wait behind it. It is changed in tests only.
var patience = 10 * time.Second

// Listen serves one measuring side after the other until ctx ends. ready is called with the address.
func Listen(ctx context.Context, addr, device string, ready func(net.Addr), report func(error)) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	ready(l.Addr())
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		if err := serveConn(ctx, conn, device); err != nil && ctx.Err() == nil {
			report(fmt.Errorf("%v: %w", conn.RemoteAddr(), err))
		}
		stop()
		_ = conn.Close() // what was to say was said
	}
}

// serveConn is Serve for a connection, which must ask for something soon.
func serveConn(ctx context.Context, conn net.Conn, device string) error {
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	err := serve(ctx, NewLink(conn, conn.Close), device, func() error { return conn.SetReadDeadline(time.Time{}) })
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the measuring side has asked for nothing in %v", patience)
	}
	return err
}

// closers closes its members in order.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, one := range c {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}
