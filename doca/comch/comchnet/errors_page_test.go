package comchnet_test

import (
	"context"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/require"
)

func second[T any](_ T, err error) error { return err }

// read and write return why a stream can no longer be read or written.
func read(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // it may be closed
	for p := make([]byte, 1000); ; {
		if _, err := c.Read(p); err != nil {
			return err
		}
	}
}

func write(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	for p := make([]byte, 1000); ; {
		if _, err := c.Write(p); err != nil {
			return err
		}
	}
}

// server returns the server's end of a stream, whose client has sent these messages and need not keep to the protocol.
func server(t *testing.T, messages ...[]byte) net.Conn {
	l := newLink(t)
	li := l.listen(t)
	raw := l.dialRaw(t)
	c, err := li.Accept()
	require.NoError(t, err)
	t.Cleanup(func() {
		c.Close()
		raw.Close()
		require.NoError(t, li.Close())
	})
	for _, m := range messages {
		require.NoError(t, raw.Send(t.Context(), m))
	}
	return c
}

func TestErrorsPage(t *testing.T) {
	row := doctest.Row
	names := map[string]error{
		"comch.ErrPeerGone": comch.ErrPeerGone, "comch.ErrNoServer": comch.ErrNoServer, "comch.ErrConsumerGone": comch.ErrConsumerGone,
		"io.ErrUnexpectedEOF": io.ErrUnexpectedEOF, "io.ErrClosedPipe": io.ErrClosedPipe, "net.ErrClosed": net.ErrClosed,
		"os.ErrDeadlineExceeded": os.ErrDeadlineExceeded, "doca.ErrUnsupportedVersion": doca.ErrUnsupportedVersion,
	}
	const gone = "`comch.ErrPeerGone`, `doca.ErrConnectionReset`"
	const broken = "`io.ErrUnexpectedEOF`, " + gone
	doctest.ErrorsPage(t, "doca/comch/comchnet", names, []doctest.ErrorRow{
		row("The peer has called `Close`; to read", "`Conn.Read`", "`io.EOF`", func(t *testing.T) []error {
			a, b := pipe(t)
			require.NoError(t, b.Close())
			return []error{read(a)}
		}),
		row("The peer has called `Close`", "`Conn.Write`, `Conn.Err`", gone, func(t *testing.T) []error {
			a, b := pipe(t)
			require.NoError(t, b.Close())
			return []error{write(a), a.Err()}
		}),
		row("The peer has called `CloseWrite`", "`Conn.Read`", "`io.EOF`", func(t *testing.T) []error {
			a, b := pipe(t)
			require.NoError(t, b.CloseWrite())
			return []error{read(a)}
		}),
		row("The peer was killed, or has closed its device", "`Conn.Read`, `Conn.Write`, `Conn.Err`", broken, func(t *testing.T) []error {
			c, do := commanded(t, "client")
			do("kill")
			return []error{read(c), write(c), c.Err()}
		}),
		row("This side has called `Close`", "`Conn.Read`, `Conn.Write`, `Conn.Err`, `Listener.Accept`", "`net.ErrClosed`", func(t *testing.T) []error {
			a, _ := pipe(t)
			require.NoError(t, a.Close())
			li := newLink(t).listen(t)
			require.NoError(t, li.Close())
			return []error{read(a), write(a), a.Err(), second(li.Accept())}
		}),
		row("This side has called `CloseWrite`", "`Conn.Write`", "`io.ErrClosedPipe`", func(t *testing.T) []error {
			a, _ := pipe(t)
			require.NoError(t, a.CloseWrite())
			return []error{write(a)}
		}),
		row("The deadline has passed", "`Conn.Read`, `Conn.Write`", "`os.ErrDeadlineExceeded`", func(t *testing.T) []error {
			a, _ := pipe(t)
			require.NoError(t, a.SetDeadline(time.Now()))
			return []error{second(a.Read(make([]byte, 1))), second(a.Write([]byte("x")))}
		}),
		row("The server has `ListenConfig.MaxClients` clients", "`Conn.Read`, `Conn.Write`", "`doca.ErrFull`, "+broken, func(t *testing.T) []error {
			l := newLink(t)
			li, err := comchnet.ListenConfig{MaxClients: 1}.Listen(t.Context(), l.dpu, l.rep, l.name)
			require.NoError(t, err)
			first, late := l.dial(t), l.dial(t)
			t.Cleanup(func() {
				first.Close()
				late.Close()
				require.NoError(t, li.Close())
			})
			return []error{read(late), write(late)}
		}),
		row("The peer does not keep to the protocol", "`Conn.Read`, `Conn.Write`", "`doca.ErrUnexpected`", func(t *testing.T) []error {
			c := server(t, []byte("GET / HTTP/1.1"))
			return []error{read(c), write(c)}
		}),
		row("The peer has another version of the protocol", "`Conn.Read`, `Conn.Write`", "`doca.ErrUnsupportedVersion`", func(t *testing.T) []error {
			c := server(t, hello(2))
			return []error{read(c), write(c)}
		}),
		row("The program has closed `Conn.Raw`, or the device", "`Conn.Read`, `Conn.Write`", "`net.ErrClosed`, `doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			a, _ := pipe(t)
			require.NoError(t, a.Raw().Close())
			return []error{read(a), write(a)}
		}),
		row("`ctx` ends first", "`Dial`, `Listen`", "`context.Canceled`", func(t *testing.T) []error {
			l := newLink(t)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return []error{second(comchnet.Dial(ctx, l.host, l.name, comch.Config{})), second(comchnet.Listen(ctx, l.dpu, l.rep, l.name, comch.Config{}))}
		}),
		row("DOCA says that there is no such server", "`Dial`", "`comch.ErrNoServer`, `doca.ErrConnectionAborted`", func(t *testing.T) []error {
			t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "20")
			l := newLink(t)
			return []error{second(comchnet.Dial(t.Context(), l.host, l.name, comch.Config{}))}
		}),
		row("Another server has the name", "`Listen`", "`doca.ErrAlreadyExist`", func(t *testing.T) []error {
			l := newLink(t)
			li := l.listen(t)
			t.Cleanup(func() { require.NoError(t, li.Close()) })
			return []error{second(comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{}))}
		}),
		row("The device does not support this side", "`Listen`, `Dial`", "`doca.ErrNotSupported`", func(t *testing.T) []error {
			l := newLink(t)
			return []error{second(comchnet.Listen(t.Context(), l.host, l.rep, l.name, comch.Config{})), second(comchnet.Dial(t.Context(), l.dpu, l.name, comch.Config{}))}
		}),
	})
}
