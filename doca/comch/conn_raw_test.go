package comch_test

import (
	"testing"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// on returns the connection as a target of faults.
func on(t testing.TB, c *comch.Conn) emulator.Target {
	t.Helper()
	raw, err := c.Raw()
	require.NoError(t, err)
	return emulator.Target{Object: unsafe.Pointer(raw)}
}

// Faults of one connection leave all others alone, so that tests with faults run in parallel.
func TestFaultsOfOneConnection(t *testing.T) {
	t.Parallel()
	for name, side := range map[string]func(client, server *comch.Conn) (*comch.Conn, *comch.Conn){
		"client": func(client, server *comch.Conn) (*comch.Conn, *comch.Conn) { return client, server },
		"server": func(client, server *comch.Conn) (*comch.Conn, *comch.Conn) { return server, client },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			srv := l.listen(t, comch.Config{})
			c, peer := side(l.pair(t, srv, comch.Config{}))
			other, otherPeer := side(l.pair(t, srv, comch.Config{}))
			faulty := func(f emulator.Faults, then func()) {
				f.On = on(t, c)
				end, err := f.Add()
				require.NoError(t, err)
				then()
				send(t, other, "unharmed")
				recv(t, otherPeer, "unharmed")
				end()
			}
			faulty(emulator.Faults{FailTasks: []emulator.TaskFault{{N: 1, Code: doca.ErrIOFailed}}}, func() {
				check(t, c.Send(long(t), []byte("lost")))
				wantErr(t, c.Flush(long(t)), doca.ErrIOFailed)
			})
			send(t, c, "goes on")
			recv(t, peer, "goes on")
			faulty(emulator.Faults{Cuts: []uint64{1}}, func() {
				c.Send(long(t), []byte("cut"))
				_, err := peer.Recv(long(t))
				assert.ErrorIs(t, err, comch.ErrPeerGone)
				_, err = c.Recv(long(t))
				assert.ErrorIs(t, err, comch.ErrPeerGone)
			})
			_, err := c.Raw()
			wantErr(t, err, comch.ErrPeerGone)
			check(t, c.Close())
			_, err = c.Raw()
			wantErr(t, err, doca.ErrClosed)
		})
	}
}
