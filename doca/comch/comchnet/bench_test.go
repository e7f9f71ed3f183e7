package comchnet_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStream writes 32 KiB at a time while the peer reads as much.
func BenchmarkStream(b *testing.B) {
	client, server := pipe(b)
	sum := make(chan int64)
	go func() {
		n, _ := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{server}, make([]byte, 32<<10))
		sum <- n
	}()
	p := make([]byte, 32<<10)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		_, err := client.Write(p)
		require.NoError(b, err)
	}
	require.NoError(b, client.CloseWrite())
	require.Equal(b, int64(b.N*len(p)), <-sum)
}

// BenchmarkPingPong sends 64 bytes there and back.
func BenchmarkPingPong(b *testing.B) {
	client, server := pipe(b)
	go io.Copy(server, server)
	p := make([]byte, 64)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		_, err := client.Write(p)
		require.NoError(b, err)
		_, err = io.ReadFull(client, p)
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
