package comchnet_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// BenchmarkStream writes 32 KiB or 1 MiB at a time while the peer reads as much, in one stream or four at
// once.
func BenchmarkStream(b *testing.B) {
	for _, streams := range []int{1, 4} {
		for _, size := range []int{32 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%d/%d", streams, size), func(b *testing.B) { stream(b, streams, size) })
		}
	}
}

func stream(b *testing.B, streams, size int) {
	var clients []*comchnet.Conn
	sums := make(chan int64)
	for range streams {
		client, server := pipe(b)
		clients = append(clients, client)
		go func() {
			n, _ := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{server}, make([]byte, size))
			sums <- n
		}()
	}
	p := make([]byte, size)
	b.SetBytes(int64(size * streams))
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for _, client := range clients {
		wg.Go(func() {
			for range b.N {
				_, err := client.Write(p)
				assert.NoError(b, err)
			}
			assert.NoError(b, client.CloseWrite())
		})
	}
	for range clients {
		assert.Equal(b, int64(b.N*size), <-sums)
	}
	wg.Wait()
}

// BenchmarkPingPong sends 64 bytes there and back, to a peer in this process and to one in a process of its own.
func BenchmarkPingPong(b *testing.B) {
	b.Run("one process", func(b *testing.B) {
		client, server := pipe(b)
		go io.Copy(server, server)
		pingPong(b, client)
	})
	b.Run("two processes", func(b *testing.B) {
		c, _ := otherProcess(b, "server-echo")
		require.NoError(b, c.SetDeadline(time.Time{}))
		pingPong(b, c)
	})
}

func pingPong(b *testing.B, c net.Conn) {
	p := make([]byte, 64)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		_, err := c.Write(p)
		require.NoError(b, err)
		_, err = io.ReadFull(c, p)
		require.NoError(b, err)
	}
}

// BenchmarkHTTP is small requests one after the other on one connection, against TCP on the
// loopback interface.
func BenchmarkHTTP(b *testing.B) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	b.Run("comch", func(b *testing.B) {
		l := newLink(b)
		li := l.listen(b)
		srv := http.Server{Handler: hello}
		go srv.Serve(li)
		defer srv.Close()
		client := l.client()
		defer client.CloseIdleConnections()
		get(b, client, l.url("/"))
	})
	b.Run("tcp", func(b *testing.B) {
		li, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(b, err)
		srv := http.Server{Handler: hello}
		go srv.Serve(li)
		defer srv.Close()
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		get(b, client, "http://"+li.Addr().String())
	})
}

func get(b *testing.B, client *http.Client, url string) {
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		resp, err := client.Get(url)
		require.NoError(b, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(b, err)
		resp.Body.Close()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}
