package rdma_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/rdmatest"
	"github.com/go-doca/go-doca/doca/rdma"
)

func TestDPAErrorsPage(t *testing.T) {
	row := doctest.Row
	sink := func(t *testing.T) *dpaSide { return newDPASide(t, rdmatest.FuncSink(), rdma.DPAConfig{}) }
	names := map[string]error{"dpa.ErrFatal": dpa.ErrFatal, "rdma.ErrPeerGone": rdma.ErrPeerGone, "doca.ErrInitialization": doca.ErrInitialization}
	doctest.ErrorsPage(t, "doca/rdma on a DPA", names, []doctest.ErrorRow{
		row("Code on the DPA has crashed, run too long, or used a handle that is not valid", "`DPARDMA.Export`, `DPAConn.Connect`, `NewOnDPA`", "`dpa.ErrFatal`, `doca.ErrBadState`",
			func(t *testing.T) []error {
				a, b := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncCrash(), rdma.DPAConfig{MaxConnections: 2})
				connectDPA(t, a, b)
				c, _ := b.export()
				b.receives()
				check(t, a.conn.Send(soonish(t), a.mem, 0, slotLen))
				_, err := a.rdma.Recv(soonish(t))
				wantErr(t, err, rdma.ErrPeerGone)
				_, _, err = b.rdma.Export()
				return []error{err, c.Connect([]byte("details")), second(rdma.NewOnDPA(b.d, rdma.DPAConfig{Completion: b.completion}))}
			}),
		row("The completion is of another DPA", "`NewOnDPA`", "`doca.ErrInitialization`", func(t *testing.T) []error {
			return []error{second(rdma.NewOnDPA(sink(t).d, rdma.DPAConfig{Completion: sink(t).completion}))}
		}),
		row("An option is outside of its range, or there is no completion", "`NewOnDPA`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			b := sink(t)
			_, err := rdma.NewOnDPA(b.d, rdma.DPAConfig{})
			wantErr(t, err, doca.ErrInvalidValue)
			return []error{second(rdma.NewOnDPA(b.d, rdma.DPAConfig{Completion: b.completion, SendQueueSize: -1}))}
		}),
		row("The context has all its connections", "`DPARDMA.Export`", "`doca.ErrFull`", func(t *testing.T) []error {
			b := sink(t)
			b.export()
			_, _, err := b.rdma.Export()
			return []error{err}
		}),
		row("The peer's details are damaged or empty", "`DPAConn.Connect`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			c, _ := sink(t).export()
			_, details := sink(t).export()
			wantErr(t, c.Connect(nil), doca.ErrInvalidValue)
			details[len(details)/2] ^= 1
			return []error{c.Connect(details)}
		}),
		row("`Connect` was called before", "`DPAConn.Connect`", "`doca.ErrBadState`", func(t *testing.T) []error {
			c, _ := sink(t).export()
			_, details := sink(t).export()
			check(t, c.Connect(details))
			return []error{c.Connect(details)}
		}),
		row("The object, its context or the DPA is closed", "`DPAConn.Connect`, `DPARDMA.Export`, `DPARDMA.Handle`", "`doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			b := sink(t)
			c, _ := b.export()
			check(t, b.d.Close())
			_, _, err := b.rdma.Export()
			return []error{c.Connect([]byte("details")), err, second(b.rdma.Handle())}
		}),
	})
}
