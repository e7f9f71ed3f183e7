package rdma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExport(t *testing.T) {
	a, b := newSide(t, rdma.Config{MaxConnections: 2}), newSide(t, rdma.Config{})
	ca, toB := a.export(t)
	cb, toA := b.export(t)
	assert.Equal(t, rdma.ConnExported, ca.State())
	assert.NotEqual(t, ca.ID(), cb.ID())
	_, _, err := b.rdma.Export()
	wantErr(t, err, doca.ErrFull, "MaxConnections")
	damaged := append([]byte(nil), toA...)
	damaged[len(damaged)/2] ^= 1
	wantErr(t, ca.Connect(damaged), doca.ErrInvalidValue, "damaged")
	wantErr(t, ca.Connect(nil), doca.ErrInvalidValue, "empty")
	wantErr(t, ca.Connect(toA[:10]), doca.ErrInvalidValue)
	require.NoError(t, ca.Connect(toA))
	wantErr(t, ca.Connect(toA), doca.ErrBadState, "already")
	require.NoError(t, cb.Connect(toB))
	assert.Equal(t, rdma.ConnConnected, ca.State())
	assert.NoError(t, ca.Err())
}

// Operations can begin before the peer has connected, and wait for it.
func TestConnectInAnyOrder(t *testing.T) {
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	ca, toB := a.export(t)
	cb, toA := b.export(t)
	check(t, ca.Connect(toA))
	peer := must(doca.ImportMemory(a.dev, b.exported(t)))(t)
	f := must(ca.WriteAsync(soonish(t), peer, 0, a.mem, 0, 8))(t)
	wantErr(t, f.Wait(soon(t)), context.DeadlineExceeded)
	wantErr(t, f.Err(), doca.ErrInProgress)
	check(t, cb.Connect(toB))
	assert.NoError(t, f.Wait(soonish(t)))
}

// Details of a context that was closed are those of nobody.
func TestConnectToNobody(t *testing.T) {
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	ca, _ := a.export(t)
	cb, toA := b.export(t)
	check(t, cb.Close())
	err := ca.Connect(toA)
	if err == nil {
		a.peer = must(doca.ImportMemory(a.dev, b.exported(t)))(t)
		err = ca.Write(soonish(t), a.peer, 0, a.mem, 0, 8)
	}
	assert.Error(t, err)
}
