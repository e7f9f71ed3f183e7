package doca_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
)

func TestBuffer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := must(r.Inv.Buffer(r.Mem, 100, 50))(t)
	if b.Len() != 50 || b.Offset() != 100 || b.DataLen() != 0 || len(b.Data()) != 0 || b.Memory() != r.Mem || b.Inventory() != r.Inv {
		t.Errorf("new buffer: %d bytes at %d, data %d", b.Len(), b.Offset(), b.DataLen())
	}
	if len(b.Bytes()) != 50 || &b.Bytes()[0] != &r.Mem.Bytes()[100] {
		t.Error("Bytes is not the region")
	}
	check(t, b.SetData(10, 20))
	if b.DataLen() != 20 || len(b.Data()) != 20 || &b.Data()[0] != &r.Mem.Bytes()[110] {
		t.Error("Data is not what SetData said")
	}
	check(t, b.SetData(50, 0))
	for _, bad := range [][2]int{{-1, 1}, {0, 51}, {51, 0}, {1, 50}, {0, -1}, {1 << 62, 1 << 62}} {
		wantErr(t, b.SetData(bad[0], bad[1]), doca.ErrInvalidValue)
	}
	check(t, b.Close())
	check(t, b.Close())
	wantErr(t, b.SetData(0, 1), doca.ErrClosed, "50 bytes at 100")
	wantErr(t, b.Chain(r.Src), doca.ErrClosed)
	wantErr(t, r.Src.Chain(b), doca.ErrClosed)
	if b.Bytes() != nil || b.Data() != nil {
		t.Error("a closed buffer has bytes")
	}
	_, err := bind.RawBuffer(b)
	wantErr(t, err, doca.ErrClosed)
	var nothing *doca.Buffer
	wantErr(t, nothing.SetData(0, 0), doca.ErrInvalidValue)
	wantErr(t, r.Src.Chain(nil), doca.ErrInvalidValue)
}

// A buffer that is aimed again is a source, or a destination, of its new region.
func TestReset(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	copy(r.Mem.Bytes(), "one two")
	one, err := doca.NewInventory(1) // with no room for a second buffer
	check(t, err)
	defer one.Close()
	b := must(one.Source(r.Mem, 0, 3))(t)
	copyAs := func(want string) {
		t.Helper()
		must(r.DMA.Copy(t.Context(), r.Dst, b))(t)
		if string(r.Dst.Data()) != want || string(b.Data()) != want {
			t.Errorf("copied %q from %q, want %q", r.Dst.Data(), b.Data(), want)
		}
	}
	copyAs("one")
	check(t, b.Reset(4, 3))
	copyAs("two")
	check(t, b.SetData(1, 1))
	copyAs("w")
	check(t, b.Reset(3000, 3)) // as a destination
	must(r.DMA.Copy(t.Context(), b, must(r.Inv.Source(r.Mem, 0, 3))(t)))(t)
	if string(r.Mem.Bytes()[3000:3004]) != "one\x00" {
		t.Errorf("written: %q", r.Mem.Bytes()[3000:3004])
	}
	if s := b.String(); !strings.Contains(s, "3 bytes at 3000") {
		t.Error(s)
	}
	for _, bad := range [][2]int{{-1, 1}, {0, 0}, {0, -1}, {r.Mem.Len(), 1}, {1, r.Mem.Len()}, {1 << 62, 1 << 62}} {
		wantErr(t, b.Reset(bad[0], bad[1]), doca.ErrInvalidValue, "not within")
	}
	copyAs("one") // and the region is what it was
	check(t, b.Close())
	wantErr(t, b.Reset(0, 1), doca.ErrClosed)
}

// DOCA may fail in the middle of a Reset. Then the buffer can be reset again, or closed.
func TestResetFaults(t *testing.T) {
	r := newRig(t)
	for _, close := range []bool{false, true} {
		b := must(r.Inv.Source(r.Mem, 0, 8))(t)
		faults(t, "fail-call=doca_buf_dec_refcount:1")
		wantErr(t, b.Reset(8, 8), doca.ErrDriver)
		must(r.DMA.Copy(t.Context(), r.Dst, b))(t) // still the old region
		faults(t, "fail-call=doca_buf_inventory_buf_get_by_args:1")
		wantErr(t, b.Reset(8, 8), doca.ErrDriver, "Reset it again")
		_, err := r.DMA.Copy(t.Context(), r.Dst, b)
		wantErr(t, err, doca.ErrBadState, "Reset it again")
		wantErr(t, b.Chain(r.Src), doca.ErrBadState)
		_, err = bind.RawBuffer(b)
		wantErr(t, err, doca.ErrBadState)
		if close {
			check(t, b.Close())
			continue
		}
		check(t, b.Reset(16, 4))
		must(r.DMA.Copy(t.Context(), r.Dst, b))(t)
		if r.Dst.DataLen() != 4 {
			t.Errorf("%d bytes copied", r.Dst.DataLen())
		}
		check(t, b.Close())
	}
}

func TestChainErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	other := must(doca.NewInventory(1))(t)
	defer other.Close()
	foreign := must(other.Buffer(r.Mem, 0, 1))(t)
	a, b, c := must(r.Inv.Buffer(r.Mem, 0, 1))(t), must(r.Inv.Buffer(r.Mem, 1, 1))(t), must(r.Inv.Buffer(r.Mem, 2, 1))(t)
	wantErr(t, a.Chain(foreign), doca.ErrInvalidValue, "inventories")
	wantErr(t, a.Chain(a), doca.ErrInvalidValue)
	check(t, a.Chain(b))
	wantErr(t, c.Chain(b), doca.ErrNotPermitted, "head")
	wantErr(t, b.Chain(c), doca.ErrNotPermitted, "head")
	wantErr(t, a.Unchain(a), doca.ErrInvalidValue)
	wantErr(t, a.Unchain(c), doca.ErrInvalidValue)
	wantErr(t, b.Unchain(b), doca.ErrInvalidValue)
	_, err := r.DMA.Copy(t.Context(), r.Dst, b)
	wantErr(t, err, doca.ErrNotPermitted, "head")
}

// Lists in Go and in DOCA stay the same whatever is done to them.
func TestListsProperty(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const n = 14
	rng := rand.New(rand.NewPCG(1, 2))
	var bufs []*doca.Buffer
	var lists [][]*doca.Buffer
	for step := range 3000 {
		pick := func() int { return rng.IntN(len(lists)) }
		what := ""
		switch op := rng.IntN(5); {
		case op == 0 && len(bufs) < n:
			b := must(r.Inv.Buffer(r.Mem, len(bufs), 1+rng.IntN(9)))(t)
			check(t, b.SetData(0, rng.IntN(b.Len()+1)))
			bufs = append(bufs, b)
			lists = append(lists, []*doca.Buffer{b})
			what = "new"
		case op == 1 && len(lists) > 1:
			i, j := pick(), pick()
			if i == j {
				continue
			}
			check(t, lists[i][0].Chain(lists[j][0]))
			lists[i] = slices.Concat(lists[i], lists[j])
			lists = slices.Delete(lists, j, j+1)
			what = "chain"
		case op == 2 && len(lists) > 0:
			l := lists[pick()]
			if len(l) == 1 {
				continue
			}
			k := 1 + rng.IntN(len(l)-1)
			check(t, l[0].Unchain(l[k]))
			i := slices.IndexFunc(lists, func(m []*doca.Buffer) bool { return m[0] == l[0] })
			lists[i] = slices.Clone(l[:k])
			lists = append(lists, slices.Clone(l[k:]))
			what = "unchain"
		case op == 3 && len(bufs) > 0 && rng.IntN(3) == 0:
			b := bufs[rng.IntN(len(bufs))]
			gone := []*doca.Buffer{b}
			if l := b.Elements(); l[0] == b { // the head takes its list along
				gone = l
			}
			check(t, b.Close())
			isGone := func(x *doca.Buffer) bool { return slices.Contains(gone, x) }
			for _, x := range gone {
				if x.Bytes() != nil || x.ListLen() != 1 {
					t.Fatalf("%v is open, in a list of %d", x, x.ListLen())
				}
				check(t, x.Close())
			}
			bufs = slices.DeleteFunc(bufs, isGone)
			for i := range lists {
				lists[i] = slices.DeleteFunc(slices.Clone(lists[i]), isGone)
			}
			lists = slices.DeleteFunc(lists, func(l []*doca.Buffer) bool { return len(l) == 0 })
			what = "close"
		case op == 4 && len(bufs) > 0:
			b := bufs[rng.IntN(len(bufs))]
			off, size := 100+rng.IntN(100), 1+rng.IntN(9)
			err := b.Reset(off, size)
			if b.ListLen() > 1 {
				wantErr(t, err, doca.ErrNotPermitted, "Unchain")
				continue
			}
			check(t, err)
			if b.Offset() != off || b.Len() != size || b.DataLen() != size {
				t.Fatalf("%d bytes at %d, data %d", b.Len(), b.Offset(), b.DataLen())
			}
			what = "reset"
		}
		for _, l := range lists {
			compareList(t, fmt.Sprintf("step %d (%s)", step, what), l)
		}
	}
}

func compareList(t *testing.T, when string, want []*doca.Buffer) {
	t.Helper()
	sum := 0
	var raws []*common.Buf
	for _, b := range want {
		sum += b.DataLen()
		raws = append(raws, must(bind.RawBuffer(b))(t))
	}
	for i, b := range want {
		if !slices.Equal(b.Elements(), want) || b.ListLen() != len(want) || b.ListDataLen() != sum {
			t.Fatalf("%s: element %d sees another list", when, i)
		}
	}
	if n := must(common.BufGetListLen(raws[0]))(t); n != uint32(len(want)) {
		t.Fatalf("%s: DOCA's list has %d elements, ours %d", when, n, len(want))
	}
	at := raws[0]
	for i := range raws {
		if at != raws[i] {
			t.Fatalf("%s: DOCA's element %d differs", when, i)
		}
		at = must(common.BufGetNextInList(at))(t)
	}
}
