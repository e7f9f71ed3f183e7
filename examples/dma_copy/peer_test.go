package main

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// connection returns both ends of a connection within this process.
func connection(t *testing.T) (dpu, host *peer) {
	t.Helper()
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	rep, err := dev.OpenRepresentor("b1:00.0")
	require.NoError(t, err)
	server, err := comch.Listen(t.Context(), dev, rep, t.Name(), comch.Config{})
	require.NoError(t, err)
	other, err := doca.OpenDevice("b1:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close()) })
	accepted := make(chan *comch.Conn, 1)
	go func() {
		conn, err := server.Accept(t.Context())
		assert.NoError(t, err)
		accepted <- conn
	}()
	client, err := comch.Dial(t.Context(), other, t.Name(), comch.Config{})
	require.NoError(t, err)
	conn := <-accepted
	return &peer{conn: conn, timeout: peerTimeout}, &peer{conn: client, timeout: peerTimeout}
}

// peerTimeout is the time limit of both sides of a connection. A machine may stop a thread for seconds.
const peerTimeout = 5 * time.Second

// A side that works for longer than the time limit of the other one lets it know.
func TestWorking(t *testing.T) {
	t.Parallel()
	dpu, host := connection(t)
	defer dpu.pulse(t.Context())()
	go func() {
		err := dpu.working(t.Context(), func(context.Context) error {
			time.Sleep(peerTimeout * 3 / 2)
			return nil
		})
		if assert.NoError(t, err) {
			assert.NoError(t, dpu.send(t.Context(), start{offset: 5}))
		}
	}()
	m, err := host.recv(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start{offset: 5}, m)
}

// A host that gives up waits for the DPU only while that may use the host's memory.
func TestTell(t *testing.T) {
	failed := failf(reasonDestination, "no space left")
	lend := func(t *testing.T, host *peer) {
		require.NoError(t, host.send(t.Context(), exportDescriptor{addr: 1, desc: []byte("descriptor")}))
	}
	for _, c := range []struct {
		name  string
		lends bool
		dpu   func(t *testing.T, dpu *peer)
	}{
		{"nothing lent", false, func(*testing.T, *peer) {}},
		{"the DPU has ended", true, func(t *testing.T, dpu *peer) { require.NoError(t, dpu.send(t.Context(), status{ok: true})) }},
		{"the DPU has failed", true, func(t *testing.T, dpu *peer) { require.NoError(t, dpu.send(t.Context(), status{})) }},
		{"the DPU ends after a message of no use", true, func(t *testing.T, dpu *peer) {
			require.NoError(t, dpu.conn.Send(t.Context(), []byte("?")))
			require.NoError(t, dpu.send(t.Context(), pass{len: 5}))
			require.NoError(t, dpu.send(t.Context(), status{ok: true}))
		}},
		{"the DPU leaves", true, func(t *testing.T, dpu *peer) { require.NoError(t, dpu.conn.Close()) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dpu, host := connection(t)
			if c.lends {
				lend(t, host)
			}
			c.dpu(t, dpu)
			host.tell(t.Context(), failed) // has no time limit here
		})
	}
	t.Run("the DPU says nothing", func(t *testing.T) {
		dpu, host := connection(t)
		lend(t, host)
		ctx, giveUp := context.WithCancel(t.Context())
		told := make(chan struct{})
		go func() { defer close(told); host.tell(ctx, failed) }()
		for {
			_, err := dpu.recv(t.Context())
			var r *refused
			if errors.As(err, &r) {
				break
			}
			require.NoError(t, err)
		}
		select {
		case <-told:
			t.Error("the host does not wait for the DPU")
		case <-time.After(50 * time.Millisecond):
		}
		giveUp()
		<-told
	})
}

// A side whose disk is slow lets the other one know.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	dpu, host := connection(t)
	defer dpu.pulse(t.Context())()
	disk, pulled, err := os.Pipe()
	require.NoError(t, err)
	defer disk.Close()
	copying := &transfer{peer: dpu, src: &source{File: disk, size: 4}, sum: newChecksum(false), bar: progressbar.DefaultBytesSilent(4)}
	time.AfterFunc(peerTimeout*3/2, func() {
		_, err := pulled.WriteString("late")
		assert.NoError(t, err)
	})
	go func() {
		b, err := io.ReadAll(copying.reader())
		if assert.NoError(t, err) && assert.Equal(t, "late", string(b)) {
			assert.NoError(t, dpu.send(t.Context(), start{offset: 5}))
		}
	}()
	m, err := host.recv(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start{offset: 5}, m)
}

// The time limit does not count this side's own time at the disk.
func TestOwnSlowDisk(t *testing.T) {
	t.Parallel()
	dpu, host := connection(t)
	done := host.atFile()
	time.AfterFunc(peerTimeout*5/4, done)
	time.AfterFunc(peerTimeout*3/2, func() { assert.NoError(t, dpu.send(t.Context(), start{offset: 5})) })
	m, err := host.recv(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start{offset: 5}, m)
	_, err = host.recv(t.Context())
	require.ErrorContains(t, err, "the other side has sent nothing for 5s")
}

// The work of one side ends when the other one, or the user, gives up.
func TestWorkingForNobody(t *testing.T) {
	forever := func(ctx context.Context) error {
		_, err := io.Copy(io.Discard, during{ctx, endless{}})
		return err
	}
	t.Run("gone", func(t *testing.T) {
		dpu, host := connection(t)
		go func() { _ = host.conn.Close() }()
		var gone *lostError
		require.ErrorAs(t, dpu.working(t.Context(), forever), &gone)
	})
	t.Run("given up", func(t *testing.T) {
		dpu, host := connection(t)
		go func() {
			ctx := context.Background()
			_ = host.conn.Send(ctx, status{reason: reasonSource}.encode())
			_ = host.conn.Flush(ctx)
			_ = host.conn.Close()
		}()
		var told *refused
		require.ErrorAs(t, dpu.working(t.Context(), forever), &told)
		assert.Equal(t, reasonSource, told.reason)
	})
	t.Run("says something", func(t *testing.T) {
		dpu, host := connection(t)
		go func() { assert.NoError(t, host.send(t.Context(), start{})) }()
		require.ErrorContains(t, dpu.working(t.Context(), forever), "out of order")
	})
	t.Run("interrupted", func(t *testing.T) {
		dpu, _ := connection(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		err := dpu.working(ctx, forever)
		assert.ErrorContains(t, err, "interrupted")
		assert.Equal(t, reasonInterrupted, reasonOf(err))
	})
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }
