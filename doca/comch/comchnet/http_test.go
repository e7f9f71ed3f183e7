package comchnet_test

import (
	"bufio"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type connKey struct{}

// serve serves a handler that can find out the request's connection.
func (l *link) serve(t *testing.T, handler http.Handler) *http.Server {
	t.Helper()
	srv := &http.Server{Handler: handler, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}}
	li := l.listen(t)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(li) }()
	t.Cleanup(func() {
		srv.Close()
		assert.Equal(t, http.ErrServerClosed, <-served)
	})
	return srv
}

// startPeer starts a peer. It returns what that prints: see peer.
func startPeer(t testing.TB, what, arg string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "COMCHNET_TEST_PEER="+what+" "+arg, "DOCA_PROVIDER=emulator")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	return cmd, bufio.NewReader(out)
}

// startServer starts the peer "http". It returns the address of its TCP server, too.
func startServer(t testing.TB, name string) (cmd *exec.Cmd, lines *bufio.Reader, tcp string) {
	t.Helper()
	cmd, lines = startPeer(t, "http", name)
	tcp, err := lines.ReadString('\n')
	require.NoError(t, err)
	return cmd, lines, strings.TrimSpace(tcp)
}

func kill(cmd *exec.Cmd) {
	cmd.Process.Kill() // unless it has ended
	cmd.Wait()
}

// A handler finds out why its request was cancelled, whether it writes or waits: the client was killed, or it has
// taken the request back.
func TestHTTPClientEnds(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/forever", "/wait"} {
		for _, killed := range []bool{true, false} {
			t.Run(map[bool]string{true: "killed", false: "cancelled"}[killed]+path, func(t *testing.T) {
				t.Parallel()
				l := newLink(t)
				writes, ends, arrived := make(chan error, 1), make(chan error, 1), make(chan bool, 1)
				mux := http.NewServeMux()
				mux.HandleFunc("/forever", func(w http.ResponseWriter, r *http.Request) {
					for sum := 0; ; sum += 32 << 10 {
						if _, err := w.Write(make([]byte, 32<<10)); err != nil {
							writes <- err
							<-r.Context().Done()
							ends <- r.Context().Value(connKey{}).(*comchnet.Conn).Err()
							return
						}
						if sum == 8<<20 {
							arrived <- true
						}
					}
				})
				mux.HandleFunc("/wait", func(_ http.ResponseWriter, r *http.Request) {
					arrived <- true
					<-r.Context().Done()
					ends <- r.Context().Value(connKey{}).(*comchnet.Conn).Err()
				})
				l.serve(t, mux)
				var end func()
				if killed {
					client, _ := startPeer(t, "get", l.url(path))
					end = func() { kill(client) }
				} else {
					ctx, cancel := context.WithCancel(t.Context())
					end = cancel
					done := make(chan error)
					go func() {
						req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url(path), nil)
						assert.NoError(t, err)
						resp, err := l.client().Do(req)
						if err == nil {
							_, err = io.Copy(io.Discard, resp.Body)
						}
						done <- err
					}()
					defer func() { assert.ErrorIs(t, <-done, context.Canceled) }()
				}
				<-arrived
				end()
				how := comch.EndOrderly
				if killed {
					how = comch.EndBroken
				}
				if path == "/forever" {
					wantEnd(t, <-writes, how)
				}
				wantEnd(t, <-ends, how)
			})
		}
	}
}

// A client finds out that its server was killed or has closed the connection, and goes on with the next server.
func TestHTTPServerEnds(t *testing.T) {
	t.Parallel()
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		l := newLink(t)
		client := l.client()
		defer client.CloseIdleConnections()
		for _, path := range []string{"/forever", "/wait", "/"} {
			server, lines, _ := startServer(t, l.name)
			var resp *http.Response
			var err error
			if path == "/wait" {
				go func() {
					lines.ReadString('\n') // the request has arrived
					server.Process.Kill()
				}()
			}
			resp, err = client.Get(l.url(path)) // also after a server that was killed while the connection was idle
			if path == "/wait" {
				wantPeer(t, err)
				continue
			}
			require.NoError(t, err)
			if path == "/forever" {
				_, err = io.CopyN(io.Discard, resp.Body, 8<<20)
				require.NoError(t, err)
				kill(server)
				_, err = io.Copy(io.Discard, resp.Body)
				wantPeer(t, err)
			} else {
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(t, err)
			}
			resp.Body.Close()
		}
	})
	t.Run("closed", func(t *testing.T) {
		t.Parallel()
		l := newLink(t)
		client := l.client()
		defer client.CloseIdleConnections()
		srv := l.serve(t, handler())
		resp, err := client.Get(l.url("/forever"))
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.CopyN(io.Discard, resp.Body, 8<<20)
		require.NoError(t, err)
		require.NoError(t, srv.Close())
		_, err = io.Copy(io.Discard, resp.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.NotErrorIs(t, err, comch.ErrPeerGone, "the connection ended in order")
	})
}

// wantPeer checks that an error of net/http is that of a peer that was killed.
func wantPeer(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, comch.ErrPeerGone)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	var peer *comch.PeerError
	require.ErrorAs(t, err, &peer)
	require.Equal(t, comch.EndBroken, peer.End)
}

// A response of 64 MiB that is made while it is sent arrives as it was.
func TestHTTPLargeResponse(t *testing.T) {
	t.Parallel()
	const size = 64 << 20
	l := newLink(t)
	sent := crc32.NewIEEE()
	l.serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		data := random(1<<20 + 1)
		for rest := size; rest > 0; {
			n := min(rest, 1+rest%len(data))
			sent.Write(data[:n])
			if _, err := w.Write(data[:n]); err != nil {
				return
			}
			rest -= n
		}
	}))
	client := l.client()
	defer client.CloseIdleConnections()
	resp, err := client.Get(l.url("/"))
	require.NoError(t, err)
	defer resp.Body.Close()
	got := crc32.NewIEEE()
	n, err := io.Copy(got, resp.Body)
	require.NoError(t, err)
	require.EqualValues(t, size, n)
	require.Equal(t, sent.Sum32(), got.Sum32())
}

// Connections one after the other leave nothing behind, whether their requests succeed, are cancelled or run out of time.
func TestHTTPManyConnections(t *testing.T) {
	doctest.WithoutSpares(t) // which have descriptors
	l := newLink(t)
	l.serve(t, handler())
	held := func() (objects, files, goroutines int) {
		list, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(doca.OpenObjects()), len(list), runtime.NumGoroutine()
	}
	use := func(n int) {
		for i := range n {
			client := l.client()
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%3)*time.Millisecond+time.Millisecond)
			path := []string{"/", "/wait", "/forever", "/large"}[i%4]
			if path == "/" {
				ctx = t.Context()
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url(path), nil)
			require.NoError(t, err)
			resp, err := client.Do(req)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			if path == "/" {
				require.NoError(t, err)
			} else if err != nil {
				require.True(t, errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "Client.Timeout"), "%v", err)
			}
			cancel()
			client.CloseIdleConnections()
		}
	}
	use(8)
	var objects, files, goroutines int
	settled := func() bool {
		o, f, g := held()
		same := o == objects && f == files && g == goroutines
		objects, files, goroutines = o, f, g
		return same
	}
	require.Eventually(t, settled, 20*time.Second, 50*time.Millisecond)
	o, f, g := objects, files, goroutines
	use(200)
	assert.Eventually(t, func() bool {
		objects, files, goroutines = held()
		return objects <= o && files <= f && goroutines <= g
	}, 20*time.Second, 10*time.Millisecond, "objects, files, goroutines: %d, %d, %d", o, f, g)
}
