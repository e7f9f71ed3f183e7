package comchnet_test

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowWriter says that it has begun, and waits for its end.
type slowWriter struct{ begun, end chan struct{} }

func (w slowWriter) Write(p []byte) (int, error) {
	w.begun <- struct{}{}
	<-w.end
	return len(p), nil
}

// A WriteTo whose writer takes its time keeps nobody from the deadline, nor from the end by Close.
func TestReadBesideWriteTo(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	w := slowWriter{make(chan struct{}), make(chan struct{})}
	copied := make(chan error, 1)
	go func() {
		n, err := io.Copy(w, client)
		assert.EqualValues(t, 3, n)
		copied <- err
	}()
	_, err := server.Write([]byte("abc"))
	require.NoError(t, err)
	<-w.begun
	calls := []func() error{
		func() error { _, err := client.Read(make([]byte, 1)); return err },
		func() error { _, err := client.WriteTo(io.Discard); return err },
	}
	start := func() <-chan error {
		ended := make(chan error, len(calls))
		for _, call := range calls {
			go func() { ended <- call() }()
		}
		return ended
	}
	wantAll := func(ended <-chan error, target error) {
		t.Helper()
		for range calls {
			select {
			case err := <-ended:
				want(t, err, target)
			case <-time.After(20 * time.Second):
				require.Fail(t, "a call waits for the writer")
			}
		}
	}
	ended := start()
	require.NoError(t, client.SetReadDeadline(time.Now().Add(soon)))
	wantAll(ended, os.ErrDeadlineExceeded)
	require.NoError(t, client.SetReadDeadline(time.Time{}))
	ended = start()
	time.Sleep(soon)
	require.NoError(t, client.Close())
	wantAll(ended, net.ErrClosed)
	close(w.end)
	want(t, <-copied, net.ErrClosed)
}
