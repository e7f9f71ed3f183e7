// Command dpa_ping_pong lets two threads on the DPA send each other the next number by RDMA, 100 times each. The kernels are those of the
// C program of the same name in emulator/sdktest/dpa, and the flags those of NVIDIA's sample.
//
//	dpa_ping_pong --pf-device mlx5_0 --rdma-device mlx5_0 --gid-index 0
//
// On a machine without DOCA the kernels run on the emulator; for a BlueField, compile them with dpacc and build with -tags dpacc: see
// docs/dpa.md.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/dpa_ping_pong/kernels"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/dpasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const (
	rounds   = 100
	endValue = 7
	word     = 8
)

func main() {
	p := argp.New("doca_dpa_ping_pong")
	cfg := dpasample.NewConfig(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error { return dpasample.Run(ctx, cfg, kernels.App(), play) }))
}

// player is one of the two. Its memory has a word to send and one to receive.
type player struct {
	thread *dpa.Thread
	args   *dpa.Memory
	rdma   *dpasample.RDMA
	conn   *rdma.DPAConn
	end    *syncevent.Event
}

func play(ctx context.Context, d *dpasample.DPA) error {
	first, err := newPlayer(d, 2)
	if err != nil {
		return err
	}
	second, err := newPlayer(d, 1)
	if err != nil {
		return err
	}
	if err := connect(first, second); err != nil {
		return err
	}
	for serves, p := range []*player{second, first} {
		if _, err := kernels.CallPrepare(ctx, d.DPA, p.args.Addr(), uint32(serves)); err != nil {
			return err
		}
	}
	for _, p := range []*player{first, second} {
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
	slog.Info(fmt.Sprintf("%d messages there and back", rounds))
	return d.Err()
}

// newPlayer makes a player and starts its thread. number is what it receives first.
func newPlayer(d *dpasample.DPA, number uint64) (p *player, err error) {
	p = &player{}
	mem, mmap, err := d.NewMemory(2 * word)
	if err != nil {
		return nil, err
	}
	if p.thread, p.args, err = dpasample.NewThread[kernels.Player](d, kernels.FuncPlay()); err != nil {
		return nil, err
	}
	if p.rdma, err = d.NewRDMA(p.thread); err != nil {
		return nil, err
	}
	args := kernels.Player{
		DPA: d.Select, RDMA: p.rdma.Handle, Comp: p.rdma.Completion, Mmap: mmap, Rounds: rounds, First: number, EndValue: endValue,
		SendAddr: uint64(mem.Address()), ReceiveAddr: uint64(mem.Address() + word),
	}
	if p.end, args.End, err = d.NewEnd(); err != nil {
		return nil, err
	}
	if err := dpa.Put(p.args, 0, args); err != nil {
		return nil, err
	}
	return p, p.thread.Run()
}

func connect(a, b *player) error {
	var toA, toB []byte
	var err error
	if a.conn, toB, err = a.rdma.Export(); err != nil {
		return err
	}
	if b.conn, toA, err = b.rdma.Export(); err != nil {
		return err
	}
	if err := a.conn.Connect(toA); err != nil {
		return err
	}
	return b.conn.Connect(toB)
}

// wait waits until the player has all messages.
func (p *player) wait(ctx context.Context) error {
	value, err := p.end.WaitGreater(ctx, endValue-1, syncevent.AllBits)
	if err != nil {
		return err
	}
	args, err := dpa.Get[kernels.Player](p.args, 0)
	if err != nil {
		return err
	}
	if value != endValue || args.Received != rounds {
		return fmt.Errorf("a player has received %d messages of %d and ended with %d", args.Received, rounds, value)
	}
	return nil
}
