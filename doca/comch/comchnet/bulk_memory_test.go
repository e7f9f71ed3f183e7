package comchnet_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fileOf returns the inode of the file that data is a shared mapping of, or "".
func fileOf(t *testing.T, data []byte) string {
	t.Helper()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return mapping(t, func(from, to uintptr, _ string) bool { return from <= at && at < to })
}

// mapping returns the inode of the first mapping of a file of this package that is wanted, or "".
func mapping(t *testing.T, wanted func(from, to uintptr, inode string) bool) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		_, err := fmt.Sscanf(line, "%x-%x", &from, &to)
		if f := strings.Fields(line); err == nil && strings.Contains(line, "/memfd:go-doca") && wanted(from, to, f[4]) {
			return f[4]
		}
	}
	return ""
}

func isMapped(t *testing.T, inode string) bool {
	return mapping(t, func(_, _ uintptr, other string) bool { return other == inode }) != ""
}

// held is a writer that keeps each slice until it is told to go on.
type held struct {
	data chan []byte
	next chan bool
}

func (h held) Write(p []byte) (int, error) {
	h.data <- p
	<-h.next
	return len(p), nil
}

// The peer maps the memory that it writes to. It is given back at Close, and if somebody has data of it at that moment, after that: nothing
// that a program closes, the device beneath included, takes it away from him.
func TestBulkMemoryIsMapped(t *testing.T) {
	t.Parallel()
	for _, beneath := range []bool{false, true} {
		t.Run(fmt.Sprintf("beneath=%t", beneath), func(t *testing.T) {
			t.Parallel()
			inode := func() string {
				client, server := pipe(t)
				limit(t, client, server)
				const size = 1 << 20
				want := random(size)
				go func() {
					for range 4 {
						if _, err := client.Write(want); err != nil {
							return
						}
					}
				}()
				h := held{make(chan []byte), make(chan bool)}
				ended := make(chan error, 1)
				go func() { _, err := server.WriteTo(h); ended <- err }()
				var data []byte
				at := 0
				for data = <-h.data; fileOf(t, data) == ""; data = <-h.data { // messages come first
					at += len(data)
					h.next <- true
				}
				inode := fileOf(t, data)
				if beneath {
					require.NoError(t, server.Raw().Device().Close())
				} else {
					require.NoError(t, server.Close())
				}
				from := at % size
				assert.True(t, string(want[from:from+len(data)]) == string(data), "the data is there")
				assert.True(t, isMapped(t, inode))
				close(h.next)
				go func() {
					for range h.data { // what came before Close
					}
				}()
				assert.Error(t, <-ended)
				close(h.data)
				require.NoError(t, server.Close())
				return inode
			}()
			wantUnmapped(t, inode, runtime.GC)
		})
	}
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		client, server := pipe(t)
		limit(t, client, server)
		go func() {
			client.Write(make([]byte, 32<<20)) // messages carry the first of them
			client.CloseWrite()
		}()
		inode := ""
		_, err := server.WriteTo(writer(func(p []byte) { inode = max(inode, fileOf(t, p)) }))
		require.NoError(t, err)
		require.NotEmpty(t, inode)
		assert.True(t, isMapped(t, inode))
		require.NoError(t, server.Close())
		wantUnmapped(t, inode, func() {})
	})
}

// wantUnmapped waits until neither end maps a file: the peer, which is of this process, too, finds out that the consumer has gone.
func wantUnmapped(t *testing.T, inode string, turn func()) {
	t.Helper()
	for end := time.Now().Add(time.Minute); isMapped(t, inode); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it is mapped after Close")
		turn()
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

var _ io.Writer = writer(nil)
