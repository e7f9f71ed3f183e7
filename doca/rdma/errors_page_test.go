package rdma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
)

// ended returns a side whose peer has closed the connection.
func ended(t *testing.T) *side {
	a, b := newPair(t, rdma.Config{})
	shake(t, a, b)
	check(t, b.conn.Close())
	<-a.conn.Done()
	return a
}

// refused returns a side whose write has been refused, and its error.
func refused(t *testing.T) (*side, error) {
	a, b := newPair(t, rdma.Config{Permissions: doca.AccessLocalReadWrite | doca.AccessRDMARead})
	_ = b
	return a, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8)
}

func TestErrorsPage(t *testing.T) {
	row := doctest.Row
	doctest.ErrorsPage(t, "doca/rdma", map[string]error{"rdma.ErrPeerGone": rdma.ErrPeerGone, "rdma.ErrRejected": rdma.ErrRejected}, []doctest.ErrorRow{
		row("The peer has closed the connection, or has disappeared", "`Conn.Write`, `Conn.Send`, `Conn.Handshake`, `Conn.Err`, `RDMA.Recv`",
			"`rdma.ErrPeerGone`, `doca.ErrNotConnected`", func(t *testing.T) []error {
				a := ended(t)
				return []error{a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8), a.conn.Send(soonish(t), a.mem, 0, 8),
					a.conn.Handshake(soonish(t)), a.conn.Err(), second(a.rdma.Recv(soonish(t)))}
			}),
		row("The peer refuses the access", "`Conn.Write`", "`doca.ErrIOFailed`", func(t *testing.T) []error {
			_, err := refused(t)
			return []error{err}
		}),
		row("The peer has closed the sync event", "`Conn.EventSet`", "`doca.ErrIOFailed`", func(t *testing.T) []error {
			a, b := newPair(t, rdma.Config{})
			ev, remote := remoteEvent(t, a, b)
			check(t, ev.Close())
			return []error{a.conn.EventSet(soonish(t), remote, a.mem, 0, 1)}
		}),
		row("An operation has failed before, and nobody has called `Start`", "`RDMA.Export`, `RDMA.Post`, `Conn.Write`, `Conn.Send`, `Conn.Handshake`, `Batch.Run`", "`doca.ErrIOFailed`, `doca.ErrBadState`", func(t *testing.T) []error {
			a, _ := refused(t)
			_, _, err := a.rdma.Export()
			batch := must(a.conn.NewBatch(1))(t)
			check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
			return []error{err, second(a.rdma.Post(nil)), a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8), a.conn.Send(soonish(t), a.mem, 0, 8),
				a.conn.Handshake(soonish(t)), batch.Run(soonish(t))}
		}),
		row("The message is longer than the buffer", "`Conn.Send`, `RDMA.Recv`", "`doca.ErrIOFailed`", func(t *testing.T) []error {
			a, b := newPair(t, rdma.Config{})
			must(b.rdma.Post(b.buffer(t, 0, 8)))(t)
			return []error{a.conn.Send(soonish(t), a.mem, 0, 9), second(b.rdma.Recv(soonish(t)))}
		}),
		row("The source has no data", "`Conn.Write`, `Conn.Send`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{})
			return []error{a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 0), a.conn.Send(soonish(t), a.mem, 0, 0)}
		}),
		row("The memory is not the peer's", "`Conn.Write`, `Conn.Read`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{})
			return []error{a.conn.Write(soonish(t), a.mem, 0, a.mem, 64, 8), a.conn.Read(soonish(t), a.mem, 0, a.mem, 64, 8)}
		}),
		row("`Connect` was not called", "`Conn.Write`", "`doca.ErrBadState`", func(t *testing.T) []error {
			a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
			a.conn, _ = a.export(t)
			a.peer = must(doca.ImportMemory(a.dev, b.exported(t)))(t)
			return []error{a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8)}
		}),
		row("The context was stopped meanwhile", "`Conn.Send`", "`doca.ErrBadState`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{})
			f := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t)
			check(t, a.rdma.Stop(soonish(t)))
			return []error{f.Wait(soonish(t))}
		}),
		row("This side has closed the connection", "`Conn.Write`, `Conn.Err`", "`doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{})
			check(t, a.conn.Close())
			return []error{a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8), a.conn.Err()}
		}),
		row("The context has all its connections", "`RDMA.Export`", "`doca.ErrFull`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{})
			_, _, err := a.rdma.Export()
			return []error{err}
		}),
		row("`MaxReceives` buffers are posted", "`RDMA.Post`", "`doca.ErrFull`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{MaxReceives: 1})
			return []error{second(a.rdma.Post(nil, nil))}
		}),
		row("The peer has refused the request", "`RDMA.Dial`", "`rdma.ErrRejected`", func(t *testing.T) []error {
			a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
			l := must(b.rdma.Listen(port()))(t)
			go func() {
				if q, err := l.Request(context.Background()); assert.NoError(t, err) {
					assert.NoError(t, q.Reject())
				}
			}()
			return []error{second(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))}
		}),
		row("`ctx` ends first", "`Conn.Send`, `RDMA.Recv`, `Conn.Handshake`", "`context.Canceled`", func(t *testing.T) []error {
			a, _ := newPair(t, rdma.Config{})
			ctx, cancel := context.WithCancel(soonish(t))
			cancel()
			return []error{a.conn.Send(ctx, a.mem, 0, 8), second(a.rdma.Recv(ctx)), a.conn.Handshake(ctx)}
		}),
	})
}
