package comchnet_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/stretchr/testify/require"
)

// sendFrame sends what the emulator's clients send on their sockets: a type, a length and a count, and bytes.
func sendFrame(fd int, kind uint32, body []byte) error {
	frame := binary.NativeEndian.AppendUint32(nil, kind)
	frame = binary.NativeEndian.AppendUint32(frame, uint32(len(body)))
	frame = append(binary.NativeEndian.AppendUint64(frame, 0), body...)
	return syscall.Sendto(fd, frame, syscall.MSG_NOSIGNAL, nil)
}

// dialByHand connects to the server as a process does that speaks the emulator's protocol without it, and can send what DOCA's functions
// do not accept.
func (l *link) dialByHand(t *testing.T) int {
	t.Helper()
	const hello, accept, version, maxMessage, queue, nameLen = 1, 2, 3, 4080, 256, 120
	body := binary.NativeEndian.AppendUint32(nil, version)
	body = binary.NativeEndian.AppendUint32(body, maxMessage)
	body = binary.NativeEndian.AppendUint32(body, queue)
	name := make([]byte, nameLen)
	copy(name, l.name)
	body = binary.NativeEndian.AppendUint32(append(body, name...), 0)
	entries, err := filepath.Glob(filepath.Join(os.Getenv("DOCA_EMU_RUNTIME_DIR"), "*"))
	require.NoError(t, err)
	var asked []int // of this server and of others, of which some do not answer
	defer func() {
		for _, fd := range asked {
			syscall.Close(fd)
		}
	}()
	for _, entry := range entries {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
		require.NoError(t, err)
		asked = append(asked, fd)
		if syscall.Connect(fd, &syscall.SockaddrUnix{Name: entry}) == nil {
			_ = sendFrame(fd, hello, body)
		}
	}
	answer := make([]byte, 8192)
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		for i, fd := range asked {
			if n, _, err := syscall.Recvfrom(fd, answer, 0); err == nil && n > 4 && binary.NativeEndian.Uint32(answer) == accept {
				asked = slices.Delete(asked, i, i+1)
				t.Cleanup(func() { syscall.Close(fd) })
				return fd
			}
		}
	}
	require.Fail(t, "no server answers")
	return -1
}

// DOCA's functions send no empty messages, but what the peer runs need not be DOCA.
func TestEmptyMessage(t *testing.T) {
	t.Parallel()
	const message = 4
	for name, before := range map[string][][]byte{
		"first":       nil,
		"after HELLO": {hello(1)},
		"after data":  {hello(1), []byte("some data")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			li := l.listen(t)
			defer li.Close()
			fd := l.dialByHand(t)
			server, err := li.Accept()
			require.NoError(t, err)
			defer server.Close()
			limit(t, server)
			for _, msg := range append(before, nil) {
				require.NoError(t, sendFrame(fd, message, msg))
			}
			for buf := make([]byte, 100); err == nil; {
				_, err = server.Read(buf)
			}
			want(t, err, doca.ErrUnexpected)
		})
	}
}
