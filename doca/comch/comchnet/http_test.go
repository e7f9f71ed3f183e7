package comchnet_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

// client is a http.Client that reaches the link's server, whatever the URL's host.
func (l *link) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return comchnet.Dial(ctx, l.host, l.name, comch.Config{})
		},
	}}
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
					resp, err := client.Post("http://dpu/echo", "", bytes.NewReader(body))
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
			resp, err := client.Post("http://dpu/refuse", "", strings.NewReader(strings.Repeat("x", 5<<20)))
			require.NoError(t, err)
			require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
			resp.Body.Close()

			// Shutdown lets a request end, though it closes the listener first.
			slow := make(chan string)
			go func() {
				resp, err := client.Get("http://dpu/slow")
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
