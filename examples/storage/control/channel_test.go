package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// newPair returns a peer, and the raw connection that is its other side.
func newPair(t *testing.T, timeout time.Duration) (*Peer, net.Conn) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := DialTCP(t.Context(), l.Addr().String())
	require.NoError(t, err)
	other, err := l.Accept()
	require.NoError(t, err)
	p := NewPeer(OverTCP(conn, "the peer", Frames, time.Minute), timeout)
	t.Cleanup(func() { p.Close(); other.Close() })
	return p, other
}

// Frames may come in pieces and joined.
func TestReassembly(t *testing.T) {
	t.Parallel()
	p, raw := newPair(t, time.Minute)
	var all []byte
	for _, c := range onTheWire {
		all = append(all, unhex(t, c.hex)...)
	}
	go func() {
		_, _ = raw.Write(all)
		for i := range all {
			_, _ = raw.Write(all[i : i+1])
		}
		raw.Close()
	}()
	for range 2 {
		for _, c := range onTheWire {
			m, err := p.RecvMessage(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.m.Type, m.Type)
		}
	}
	_, err := p.RecvMessage(t.Context())
	assert.ErrorIs(t, err, ErrPeerGone)
	<-p.Ended()
	assert.ErrorIs(t, p.Err(), ErrPeerGone)
}

func TestEndInTheMiddle(t *testing.T) {
	t.Parallel()
	p, raw := newPair(t, time.Minute)
	_, _ = raw.Write(unhex(t, onTheWire[0].hex)[:9])
	raw.Close()
	_, err := p.RecvMessage(t.Context())
	require.ErrorIs(t, err, ErrPeerGone)
	assert.ErrorContains(t, err, "in the middle of a message")
}

func TestRequests(t *testing.T) {
	t.Parallel()
	request := Message{Type: TypeStartStorage, Correlation: 7}
	for name, c := range map[string]struct {
		answer string // hex; empty: none
		want   error  // nil: none
		text   string
	}{
		"right":                 {"0000000c 00000008 00000000 00000007", nil, ""},
		"another message id":    {"0000000c 00000008 00000009 00000007", nil, ""},
		"another type":          {"0000000c 0000000a 00000000 00000007", doca.ErrUnexpected, "stop storage response"},
		"another correlation":   {"0000000c 00000008 00000000 00000008", doca.ErrUnexpected, "8, this is 7"},
		"error":                 {"00000016 00000000 00000000 00000007 00000018 00000002 6e6f", doca.ErrFull, "the peer has answered: no"},
		"unknown type":          {"0000000c 00000063 00000000 00000007", ErrMalformed, "type 99"},
		"no frame":              {"ffffffff", ErrMalformed, "the same variant"},
		"nothing":               {"", doca.ErrTimeOut, "the peer has not answered the start storage request in 6s"},
		"only the half":         {"0000000c 00000008", doca.ErrTimeOut, "start storage"},
		"error of no DOCA code": {"00000016 00000000 00000000 00000007 00000fff 00000002 6e6f", doca.Error(0xfff), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := 20 * time.Second
			if c.want == doca.ErrTimeOut {
				timeout = 6 * time.Second
			}
			p, raw := newPair(t, timeout)
			_, err := raw.Write(unhex(t, c.answer))
			require.NoError(t, err)
			_, err = p.Request(t.Context(), request)
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				assert.ErrorContains(t, err, c.text)
			}
			sent := make([]byte, 16)
			_, err = raw.Read(sent)
			require.NoError(t, err)
			assert.Equal(t, unhex(t, "0000000c 00000007 00000000 00000007"), sent)
		})
	}
}

// A context that ends is no late peer: the error is the context's, whatever has ended it.
func TestRequestIsCancelled(t *testing.T) {
	t.Parallel()
	p, raw := newPair(t, time.Minute)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		_, _ = raw.Read(make([]byte, 16))
		cancel(errors.New("enough"))
	}()
	_, err := p.Request(ctx, Message{Type: TypeStartStorage})
	assert.ErrorIs(t, err, context.Canceled)
	deadline, cancelLate := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("enough"))
	defer cancelLate()
	_, err = p.Request(deadline, Message{Type: TypeStartStorage})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// Each hop numbers its messages from 0.
func TestMessageIDs(t *testing.T) {
	t.Parallel()
	p, raw := newPair(t, time.Minute)
	other := NewPeer(OverTCP(raw, "the other", Frames, time.Minute), 0)
	defer other.Close()
	go func() {
		for range 3 {
			m, err := other.RecvMessage(context.Background())
			if err == nil {
				err = other.SendMessage(context.Background(), m.Response())
			}
			if err != nil {
				return
			}
		}
	}()
	for i := range 3 {
		m, err := p.Request(t.Context(), Message{Type: TypeStopStorage, Correlation: 100})
		require.NoError(t, err)
		assert.Equal(t, uint32(i), m.ID)
	}
}

func TestDialWaitsForTarget(t *testing.T) {
	t.Parallel()
	address := fmt.Sprintf("127.0.0.1:%d", selfexec.DeadPort(t))
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, err := DialTCP(ctx, address)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = DialTCP(t.Context(), "nonsense")
	assert.Error(t, err)
}

// The system is told to notice within the limit that a peer cannot be reached. It counts seconds.
func TestNotice(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{5 * time.Second, 10 * time.Second, time.Minute} {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		require.NoError(t, err)
		conn, err := net.Dial("tcp4", l.Addr().String())
		require.NoError(t, err)
		c := OverTCP(conn, "the peer", Frames, limit)
		raw, err := conn.(*net.TCPConn).SyscallConn()
		require.NoError(t, err)
		option := func(name int) (value int) {
			require.NoError(t, raw.Control(func(fd uintptr) {
				value, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, name)
			}))
			require.NoError(t, err)
			return value
		}
		seconds := option(unix.TCP_KEEPIDLE) + option(unix.TCP_KEEPCNT)*option(unix.TCP_KEEPINTVL)
		assert.Less(t, time.Duration(seconds)*time.Second, limit, "if nothing is on its way")
		assert.Less(t, time.Duration(option(unix.TCP_USER_TIMEOUT))*time.Millisecond, limit, "if something is")
		require.NoError(t, c.Close())
		require.NoError(t, l.Close())
	}
}

// What the system says of a peer that has gone.
func TestFailures(t *testing.T) {
	t.Parallel()
	c := &Channel{name: "the peer"}
	for errno, text := range map[syscall.Errno]string{
		syscall.ECONNRESET: "has ended the connection", syscall.EPIPE: "has ended the connection", syscall.ETIMEDOUT: "cannot be reached any more",
		syscall.EHOSTUNREACH: "cannot be reached any more", syscall.ENETUNREACH: "cannot be reached any more",
	} {
		err := c.failure(&net.OpError{Op: "read", Err: os.NewSyscallError("read", errno)})
		require.ErrorIs(t, err, ErrPeerGone)
		assert.EqualError(t, err, "storage: the peer is gone: the peer "+text)
	}
	assert.NotErrorIs(t, c.failure(syscall.EINVAL), ErrPeerGone)
}

// A request ends when its peer's time has ended, if that is earlier.
func TestUntil(t *testing.T) {
	t.Parallel()
	p, _ := newPair(t, time.Hour)
	p.Until = time.Now().Add(100 * time.Millisecond)
	_, err := p.Request(t.Context(), Message{Type: TypeQueryStorage})
	require.ErrorIs(t, err, doca.ErrTimeOut)
	assert.ErrorContains(t, err, "the peer has not answered the query storage request in ")
}
