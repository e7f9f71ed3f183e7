// Command dpa_initiator_target sends four values by RDMA from the CPU to a thread on the DPA. That takes them and wakes another one, which
// counts and posts the receive again. The kernels are those of the C program of the same name in emulator/sdktest/dpa, and the flags
// those of NVIDIA's sample.
//
//	dpa_initiator_target --pf-device mlx5_0 --rdma-device mlx5_0 --gid-index 0
//
// On a machine without DOCA the kernels run on the emulator; for a BlueField, compile them with dpacc and build with -tags dpacc: see
// docs/dpa.md.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/dpa_initiator_target/kernels"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/dpasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const (
	values = 4
	word   = 8
)

func main() {
	p := argp.New("doca_dpa_initiator_target")
	cfg := dpasample.NewConfig(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error { return dpasample.Run(ctx, cfg, kernels.App(), run) }))
}

func run(ctx context.Context, d *dpasample.DPA) (err error) {
	t, err := newTarget(d)
	if err != nil {
		return err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	initiator, err := rdma.New(d.RDMA.Device(), pe, rdma.Config{MaxTasks: values, GIDIndex: d.GIDIndex, GRH: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, initiator.Close()) }()
	conn, err := connect(initiator, t)
	if err != nil {
		return err
	}
	if _, err := kernels.CallPostReceive(ctx, d.DPA, t.args.Addr()); err != nil {
		return err
	}
	if err := send(ctx, d, conn); err != nil {
		return err
	}
	right, err := t.end.WaitGreater(ctx, values-1, syncevent.AllBits)
	if err != nil {
		return err
	}
	if right != values {
		return fmt.Errorf("the target has ended with %d, not with %d right values", right, values)
	}
	slog.Info(fmt.Sprintf("All %d values arrived in order", values))
	return d.Err()
}

// target is the thread that takes the values, and the one that counts.
type target struct {
	thread, counter *dpa.Thread
	args            *dpa.Memory
	notify          *dpa.NotificationCompletion // wakes the counter; of the DPA that the thread selects
	rdma            *dpasample.RDMA
	conn            *rdma.DPAConn
	end             *syncevent.Event
}

func newTarget(d *dpasample.DPA) (t *target, err error) {
	t = &target{}
	mem, mmap, err := d.NewMemory(word)
	if err != nil {
		return nil, err
	}
	if t.thread, t.args, err = dpasample.NewThread[kernels.SideArg](d, kernels.FuncTargetNotifies()); err != nil {
		return nil, err
	}
	if t.rdma, err = d.NewRDMA(t.thread); err != nil {
		return nil, err
	}
	var counts *dpa.Memory
	if t.counter, counts, err = dpasample.NewThread[kernels.SideArg](d, kernels.FuncCount()); err != nil {
		return nil, err
	}
	if t.notify, err = d.RDMA.NewNotificationCompletion(t.counter); err != nil {
		return nil, err
	}
	args := kernels.SideArg{DPA: d.Select, RDMA: t.rdma.Handle, Comp: t.rdma.Completion, Addr: uint64(mem.Address()), Mmap: mmap, Expected: values}
	if args.Notify, err = t.notify.Handle(); err != nil {
		return nil, err
	}
	if t.end, args.End, err = d.NewEnd(); err != nil {
		return nil, err
	}
	return t, errors.Join(dpa.Put(t.args, 0, args), dpa.Put(counts, 0, args), t.counter.Run(), t.thread.Run())
}

func connect(initiator *rdma.RDMA, t *target) (*rdma.Conn, error) {
	conn, toTarget, err := initiator.Export()
	if err != nil {
		return nil, err
	}
	var toInitiator []byte
	if t.conn, toInitiator, err = t.rdma.Export(); err != nil {
		return nil, err
	}
	if err := conn.Connect(toInitiator); err != nil {
		return nil, err
	}
	return conn, t.conn.Connect(toTarget)
}

// send sends all values at once. They wait until the target has posted its one receive again.
func send(ctx context.Context, d *dpasample.DPA, conn *rdma.Conn) error {
	mem, _, err := d.NewMemory(values * word)
	if err != nil {
		return err
	}
	var sends []*rdma.Future
	for i := range values {
		binary.NativeEndian.PutUint64(mem.Bytes()[i*word:], uint64(i+1))
		f, err := conn.SendImmAsync(ctx, uint32(i+1), mem, i*word, word)
		if err != nil {
			return err
		}
		sends = append(sends, f)
	}
	for _, f := range sends {
		if err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
