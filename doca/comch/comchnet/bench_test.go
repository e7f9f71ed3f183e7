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

// BenchmarkHTTP is small requests one after the other on one connection, over Comch and over TCP on the loopback
// interface. They take turns, so that other load hits both; comch/tcp is the ratio of their times.
func BenchmarkHTTP(b *testing.B) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	srv := http.Server{Handler: hello}
	defer srv.Close()
	l := newLink(b)
	overComch := l.listen(b)
	go srv.Serve(overComch)
	overTCP, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go srv.Serve(overTCP)

	comch, tcp := l.client(), &http.Client{Transport: &http.Transport{}}
	defer comch.CloseIdleConnections()
	defer tcp.CloseIdleConnections()
	var times [2]time.Duration
	b.ResetTimer()
	for done, n := 0, 0; done < b.N; done += n {
		n = min(200, b.N-done)
		times[0] += get(b, comch, l.url("/"), n)
		times[1] += get(b, tcp, "http://"+overTCP.Addr().String(), n)
	}
	b.ReportMetric(float64(times[0])/float64(times[1]), "comch/tcp")
	b.ReportMetric(float64(times[0].Nanoseconds())/float64(b.N), "comch-ns/req")
	b.ReportMetric(float64(times[1].Nanoseconds())/float64(b.N), "tcp-ns/req")
}

// get makes n requests and returns how long that took.
func get(b *testing.B, client *http.Client, url string, n int) time.Duration {
	start := time.Now()
	for range n {
		resp, err := client.Get(url)
		require.NoError(b, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(b, err)
		resp.Body.Close()
	}
	return time.Since(start)
}
