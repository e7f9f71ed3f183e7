package target

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/initiator"
)

// patience limits the waits for answers.
const patience = 60 * time.Second

// Requests that would change what the workers use are refused while they run, and the session is over.
func TestRequestsWhileStarted(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	for name, late := range map[string]control.Message{
		"shutdown":   {Type: control.TypeShutdown},
		"connection": {Type: control.TypeCreateRDMAConnection, Connection: control.Connection{Role: control.RoleControl}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			require.NoError(t, err)
			served := make(chan error, 1)
			go func() {
				cfg := Config{Device: "03:00.1", CPUs: []int{dataplane.AnyCPU}, Listener: l}
				served <- Serve(t.Context(), cfg, Content{BlockSize: 512, Data: make([]byte, 4096)}, nil)
			}()
			dev, err := doca.OpenDevice("03:00.0")
			require.NoError(t, err)
			defer dev.Close()
			host, err := memory(dev, make([]byte, 4096))
			require.NoError(t, err)
			export, err := host.ExportRDMA(dev)
			require.NoError(t, err)
			pe, err := doca.NewProgressEngine(doca.EngineConfig{})
			require.NoError(t, err)
			defer pe.Close()
			r, err := rdma.New(dev, pe, rdma.Config{MaxConnections: 2})
			require.NoError(t, err)
			tcp, err := net.Dial("tcp4", l.Addr().String())
			require.NoError(t, err)
			target := control.NewPeer(control.OverTCP(tcp, "the target", control.Frames, patience), patience)
			defer target.Close()
			ask := func(m control.Message) (control.Message, error) { return target.Request(t.Context(), m) }
			_, err = ask(control.Message{Type: control.TypeInitStorage, Init: control.Init{Transactions: 1, Cores: 1, Export: export}})
			require.NoError(t, err)
			conn, details, err := r.Export() // one for both roles
			require.NoError(t, err)
			answer, err := ask(control.Message{Type: control.TypeCreateRDMAConnection, Connection: control.Connection{Details: details}})
			require.NoError(t, err)
			require.NoError(t, conn.Connect(answer.Connection.Details))
			_, err = ask(control.Message{Type: control.TypeStartStorage})
			require.NoError(t, err)
			_, late.Connection.Details, err = r.Export()
			require.NoError(t, err)
			_, err = ask(late)
			assert.ErrorIs(t, err, doca.ErrBadState)
			assert.ErrorContains(t, err, "the storage is started: stop it first")
			assert.ErrorIs(t, <-served, doca.ErrBadState)
		})
	}
}

// An initiator that forgets to stop the storage before the shutdown is told so.
func TestShutdownWithoutStop(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	served, relay := serve(t, t.Context(), Content{BlockSize: 512, Data: make([]byte, 4096)})
	dev, err := doca.OpenDevice("b1:00.0")
	require.NoError(t, err)
	defer dev.Close()
	s, err := initiator.Dial(t.Context(), dev, "doca_storage_comch", patience)
	require.NoError(t, err)
	require.NoError(t, s.Init(t.Context(), 4096, []int{1}))
	require.NoError(t, s.Start(t.Context()))
	err = s.Shutdown(t.Context())
	assert.ErrorIs(t, err, doca.ErrBadState)
	assert.ErrorContains(t, err, "the storage is started: stop it first")
	assert.NoError(t, s.Close())
	assert.Error(t, relay.Wait())
	assert.ErrorIs(t, <-served, control.ErrPeerGone)
}
