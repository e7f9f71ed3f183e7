package comchnet_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	randv2 "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever is called on both ends at once, every call ends, with an error that a net.Conn has, and nothing is left.
func TestRaces(t *testing.T) {
	t.Parallel()
	for _, bulk := range []bool{false, true} {
		t.Run(map[bool]string{false: "messages", true: "buffers"}[bulk], func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			li := l.listen(t)
			for round := range 12 {
				client := l.dial(t)
				accepted, err := li.Accept()
				require.NoError(t, err)
				server := accepted.(*comchnet.Conn)
				if bulk {
					warm(t, client, server)
					warm(t, server, client)
				}
				var calls sync.WaitGroup
				until := func(c *comchnet.Conn, seed uint64, call func(rng *randv2.Rand) error) {
					calls.Go(func() {
						rng := randv2.New(randv2.NewPCG(uint64(round), seed))
						for {
							err := call(rng)
							var op *net.OpError
							switch {
							case err == io.EOF, errors.Is(err, net.ErrClosed), errors.Is(err, comch.ErrPeerGone):
								return
							case err != nil && !errors.As(err, &op):
								assert.Fail(t, "no error of package net", "%v", err)
								return
							case err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, io.ErrClosedPipe):
								assert.NoError(t, err)
								return
							}
							if c.Err() != nil {
								return
							}
						}
					})
				}
				for i, c := range []*comchnet.Conn{client, server} {
					for j := range uint64(2) {
						until(c, j, func(rng *randv2.Rand) error {
							_, err := c.Read(make([]byte, rng.IntN(1<<rng.IntN(18))))
							return err
						})
						until(c, 2+j, func(rng *randv2.Rand) error {
							_, err := c.Write(make([]byte, rng.IntN(1<<rng.IntN(18))))
							return err
						})
					}
					until(c, 4, func(rng *randv2.Rand) error {
						set := []func(time.Time) error{c.SetDeadline, c.SetReadDeadline, c.SetWriteDeadline}[rng.IntN(3)]
						return set(time.Now().Add(time.Duration(rng.IntN(2000)-100) * time.Microsecond))
					})
					for j := range 2 {
						calls.Go(func() {
							time.Sleep(time.Duration((round*7+i*3+j*5)%10) * time.Millisecond)
							if (round+i)%3 == 0 {
								c.CloseWrite()
							}
							assert.NoError(t, c.Close())
						})
					}
				}
				ended := make(chan bool)
				go func() { calls.Wait(); close(ended) }()
				select {
				case <-ended:
				case <-time.After(30 * time.Second):
					require.Fail(t, "a call hangs")
				}
			}
			require.NoError(t, li.Close())
			require.Equal(t, doca.StateClosed, li.Server().State())
		})
	}
}

// Clients that dial while the listener is closed are served or turned away, and its name is free again.
func TestListenerRaces(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	for round := range 10 {
		li := l.listen(t)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for {
					c, err := li.Accept()
					if err != nil {
						want(t, err, net.ErrClosed)
						return
					}
					all.Go(func() {
						io.Copy(c, c)
						assert.NoError(t, c.Close())
					})
				}
			})
		}
		for range 4 {
			all.Go(func() {
				for range 4 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second/4) // DOCA looks for a server for longer
					c, err := comchnet.Dial(ctx, l.host, l.name, comch.Config{})
					if cancel(); err != nil {
						want(t, err)
						return
					}
					limit(t, c)
					if _, err = c.Write([]byte("x")); err == nil {
						_, err = io.ReadFull(c, make([]byte, 1))
					}
					if err != nil && err != io.EOF {
						want(t, err, comch.ErrPeerGone)
					}
					assert.NoError(t, c.Close())
				}
			})
		}
		for range 2 {
			all.Go(func() {
				time.Sleep(time.Duration(round) * time.Millisecond)
				assert.NoError(t, li.Close())
			})
		}
		all.Wait()
		require.Equal(t, doca.StateClosed, li.Server().State())
	}
}

// Reads and writes of nothing do not wait. They say whether the connection can be used.
func TestNothing(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		for range 2 {
			n, err := c1.Read(nil)
			require.NoError(t, err)
			require.Zero(t, n)
			n, err = c1.Write(nil)
			require.NoError(t, err)
			require.Zero(t, n)
			_, err = c2.Write([]byte("x")) // that does not take part
			require.NoError(t, err)
		}
		require.NoError(t, c1.SetDeadline(time.Unix(1, 0)))
		_, err := c1.Read(nil)
		want(t, err, os.ErrDeadlineExceeded)
		_, err = c1.Write(nil)
		want(t, err, os.ErrDeadlineExceeded)
		limit(t, c1)
		require.NoError(t, c2.Close())
		got, err := io.ReadAll(c1)
		require.NoError(t, err)
		require.Equal(t, "xx", string(got))
		n, err := c1.Read(nil)
		require.NoError(t, err, "as net.TCPConn at its end")
		require.Zero(t, n)
		require.NoError(t, c1.Close())
		_, err = c1.Read(nil)
		want(t, err, net.ErrClosed)
		_, err = c1.Write(nil)
		want(t, err, net.ErrClosed)
	})
}

// A time-out is one to those who ask a net.Error.
func TestTimeout(t *testing.T) {
	t.Parallel()
	client, _ := pipe(t)
	require.NoError(t, client.SetDeadline(time.Unix(1, 0)))
	for _, call := range []func([]byte) (int, error){client.Read, client.Write} {
		_, err := call([]byte("x"))
		var timeout net.Error
		require.ErrorAs(t, err, &timeout)
		require.True(t, timeout.Timeout())
	}
}

// A peer that is stopped keeps nobody from ending a call, or the connection.
func TestStoppedPeer(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			cmd := selfexec.Command(t)
			c, _ := startProcess(t, cmd, side)
			_, err := io.ReadFull(c, make([]byte, 4))
			require.NoError(t, err)
			selfexec.Stop(t, cmd.Process)
			require.NoError(t, c.SetDeadline(time.Now().Add(10*soon)))
			_, err = c.Read(make([]byte, 1))
			want(t, err, os.ErrDeadlineExceeded)
			for err = nil; err == nil; {
				_, err = c.Write(make([]byte, 5000))
			}
			want(t, err, os.ErrDeadlineExceeded)
			require.NoError(t, c.(*comchnet.Conn).Err())
			closed := make(chan error)
			go func() { closed <- c.Close() }()
			select {
			case err := <-closed:
				require.NoError(t, err)
			case <-time.After(20 * time.Second):
				require.Fail(t, "Close hangs")
			}
		})
	}
}

// TLS has its own ideas of a net.Conn: what it sends at the end, and its deadlines.
func TestTLS(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"dpu"}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(cert)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	client, server := pipe(t)
	limit(t, client, server)
	inside := tls.Server(server, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}})
	go func() {
		_, err := io.Copy(inside, inside)
		assert.NoError(t, err)
		assert.NoError(t, inside.Close())
	}()
	outside := tls.Client(client, &tls.Config{RootCAs: roots, ServerName: "dpu"})
	data := random(4 << 20)
	go func() {
		_, err := outside.Write(data)
		assert.NoError(t, err)
		assert.NoError(t, outside.CloseWrite())
	}()
	got, err := io.ReadAll(outside)
	require.NoError(t, err)
	require.Equal(t, data, got)
	require.NoError(t, outside.Close())
}

// A httptest.Server works with a listener, for clients that dial its name.
func TestHTTPTest(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := httptest.NewUnstartedServer(handler())
	require.NoError(t, srv.Listener.Close())
	srv.Listener = l.listen(t)
	srv.Start()
	dialer := &comchnet.Dialer{Device: l.host, Name: l.name}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	for range 3 {
		resp, err := client.Get("http://whatever/")
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "hello", string(got))
		resp.Body.Close()
		srv.CloseClientConnections()
	}
	srv.Close()
	client.CloseIdleConnections()
}
