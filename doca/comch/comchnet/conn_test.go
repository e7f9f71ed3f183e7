package comchnet_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/nettest"
)

func TestNettest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		pipe nettest.MakePipe
	}{
		{"client first", func() (c1, c2 net.Conn, stop func(), err error) {
			client, server := pipe(t)
			return client, server, func() { _, _ = client.Close(), server.Close() }, nil
		}},
		{"server first", func() (c1, c2 net.Conn, stop func(), err error) {
			client, server := pipe(t)
			return server, client, func() { _, _ = server.Close(), client.Close() }, nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			nettest.TestConn(t, c.pipe)
		})
	}
}

// Every length around those that the protocol treats in their own way arrives.
func TestLengths(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	for _, n := range []int{0, 1, 2, 4, 5, 6, 7, 8, 11, 12, 4079, 4080, 4081, 4084, 4085, 4086, 4087, 8160, 8166, 100_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := random(n)
			k, err := client.Write(p)
			require.NoError(t, err)
			require.Equal(t, n, k)
			got := make([]byte, n)
			_, err = io.ReadFull(server, got)
			require.NoError(t, err)
			require.Equal(t, p, got)
		})
	}
	n, err := server.Read(nil)
	require.NoError(t, err)
	require.Zero(t, n)
}

// Both directions at once, written and read in pieces of all sizes.
func TestPieces(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	data := random(2 << 20)
	write := func(c *comchnet.Conn) {
		rng := rand.New(rand.NewPCG(1, 2))
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(1<<rng.IntN(16)))
			if _, err := c.Write(rest[:n]); !assert.NoError(t, err) {
				return
			}
			rest = rest[n:]
		}
		assert.NoError(t, c.CloseWrite())
	}
	var writers sync.WaitGroup
	writers.Go(func() { write(client) })
	writers.Go(func() { write(server) })
	back := make(chan []byte)
	go func() {
		got, err := io.ReadAll(server)
		assert.NoError(t, err)
		back <- got
	}()
	got := make([]byte, 0, len(data))
	for rng := rand.New(rand.NewPCG(3, 4)); ; {
		n, err := client.Read(got[len(got):min(cap(got), len(got)+1+rng.IntN(1<<rng.IntN(16)))])
		got = got[:len(got)+n]
		if err == io.EOF || len(got) == cap(got) {
			break
		}
		require.NoError(t, err)
	}
	require.True(t, bytes.Equal(data, got))
	require.True(t, bytes.Equal(data, <-back))
	writers.Wait()
}

// A smaller message size, which both sides have.
func TestMessageSize(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	cfg := comch.Config{MaxMessageSize: 100}
	li, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, cfg)
	require.NoError(t, err)
	defer li.Close()
	client, err := comchnet.Dial(t.Context(), l.host, l.name, cfg)
	require.NoError(t, err)
	defer client.Close()
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, client, server)
	data := random(100_006)
	go func() {
		_, err := client.Write(data)
		assert.NoError(t, err)
	}()
	got := make([]byte, len(data))
	_, err = io.ReadFull(server, got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	for range 3 { // a deadline that has passed can be moved again
		require.NoError(t, client.SetReadDeadline(time.Now().Add(soon)))
		_, err := client.Read(make([]byte, 1))
		want(t, err, os.ErrDeadlineExceeded)
	}
	_, err := server.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, client.SetReadDeadline(time.Unix(1, 0)))
	_, err = client.Read(make([]byte, 1))
	want(t, err, os.ErrDeadlineExceeded)

	// Moving it while a Read waits: out of the way, then to the past.
	require.NoError(t, client.SetReadDeadline(time.Time{}))
	_, err = io.ReadFull(client, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, client.SetReadDeadline(time.Now().Add(time.Hour)))
	ended := make(chan error)
	go func() {
		_, err := client.Read(make([]byte, 1))
		ended <- err
	}()
	time.Sleep(soon)
	require.NoError(t, client.SetReadDeadline(time.Time{}))
	select {
	case err := <-ended:
		t.Fatalf("Read without a deadline: %v", err)
	case <-time.After(soon):
	}
	require.NoError(t, client.SetReadDeadline(time.Now()))
	want(t, <-ended, os.ErrDeadlineExceeded)
	_, err = client.WriteTo(io.Discard)
	want(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, client.Close())
	_, err = client.Read(make([]byte, 1))
	want(t, err, net.ErrClosed)
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			li := l.listen(t)
			var protocols http.Protocols
			protocols.SetHTTP1(version == "HTTP/1.1")
			protocols.SetUnencryptedHTTP2(version == "HTTP/2.0")
			client := l.client()
			client.Transport.(*http.Transport).Protocols = &protocols
			arrived, release := make(chan struct{}), make(chan struct{})
			mux := http.NewServeMux()
			mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
				assert.NoError(t, http.NewResponseController(w).EnableFullDuplex())
				io.Copy(w, r.Body)
			})
			mux.HandleFunc("/refuse", func(w http.ResponseWriter, r *http.Request) {
				http.Error(w, "too much", http.StatusRequestEntityTooLarge)
			})
			mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-release
				io.WriteString(w, r.Proto)
			})
			srv := &http.Server{Handler: mux, Protocols: &protocols}
			served := make(chan error)
			go func() { served <- srv.Serve(li) }()

			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					body := random(100_000 * i)
					resp, err := client.Post(l.url("/echo"), "", bytes.NewReader(body))
					if !assert.NoError(t, err) {
						return
					}
					defer resp.Body.Close()
					got, err := io.ReadAll(resp.Body)
					assert.NoError(t, err)
					assert.True(t, bytes.Equal(body, got))
				})
			}
			wg.Wait()

			// An answer that comes before the request has been read is not lost.
			resp, err := client.Post(l.url("/refuse"), "", strings.NewReader(strings.Repeat("x", 5<<20)))
			require.NoError(t, err)
			require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
			resp.Body.Close()

			// Shutdown lets a request end, though it closes the listener first.
			slow := make(chan string)
			go func() {
				resp, err := client.Get(l.url("/slow"))
				if !assert.NoError(t, err) {
					close(slow)
					return
				}
				defer resp.Body.Close()
				got, err := io.ReadAll(resp.Body)
				assert.NoError(t, err)
				slow <- string(got)
			}()
			<-arrived
			down := make(chan error)
			go func() { down <- srv.Shutdown(t.Context()) }()
			require.ErrorIs(t, <-served, http.ErrServerClosed)
			close(release)
			require.Equal(t, version, <-slow)
			require.NoError(t, <-down)
			client.CloseIdleConnections()
		})
	}
}
