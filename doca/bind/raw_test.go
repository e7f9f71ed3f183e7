package bind_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/generated/common"
)

// rawOf is one of the Raw functions without its result.
func rawOf[H any, R comparable](raw func(H) (R, error), h H) func() error {
	return func() error {
		r, err := raw(h)
		var none R
		if (r == none) != (err != nil) {
			panic("one of result and error must be nil")
		}
		return err
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rep := must(r.Dev.OpenRepresentor(doctest.Host0))(t)
	for _, c := range []struct {
		kind            string
		open, nil, zero func() error
		close           func() error
	}{
		{"buffer", rawOf(bind.RawBuffer, r.Src), rawOf(bind.RawBuffer, nil), rawOf(bind.RawBuffer, &doca.Buffer{}), r.Src.Close},
		{"inventory", rawOf(bind.RawInventory, r.Inv), rawOf(bind.RawInventory, nil), rawOf(bind.RawInventory, &doca.Inventory{}), r.Inv.Close},
		{"memory", rawOf(bind.RawMemory, r.Mem), rawOf(bind.RawMemory, nil), rawOf(bind.RawMemory, &doca.Memory{}), r.Mem.Close},
		{"engine", rawOf(bind.RawEngine, r.PE), rawOf(bind.RawEngine, nil), rawOf(bind.RawEngine, &doca.ProgressEngine{}), r.PE.Close},
		{"representor", rawOf(bind.RawRepresentor, rep), rawOf(bind.RawRepresentor, nil), rawOf(bind.RawRepresentor, &doca.Representor{}), rep.Close},
		{"device", rawOf(bind.RawDevice, r.Dev), rawOf(bind.RawDevice, nil), rawOf(bind.RawDevice, &doca.Device{}), r.Dev.Close},
	} {
		t.Run(c.kind, func(t *testing.T) {
			check(t, c.open())
			wantErr(t, c.nil(), doca.ErrInvalidValue, c.kind+" is nil")
			wantErr(t, c.zero(), doca.ErrInvalidValue, c.kind)
			check(t, c.close())
			wantErr(t, c.open(), doca.ErrClosed, c.kind+"#")
		})
	}
}

func TestWithDevinfo(t *testing.T) {
	t.Parallel()
	info := newRig(t).Dev.Info()
	calls := 0
	f := func(raw *common.Devinfo) error {
		calls++
		assert.NotNil(t, raw)
		return nil
	}
	check(t, bind.WithDevinfo(info, f))
	info.PCIAddr = "0000:ff:00.0"
	wantErr(t, bind.WithDevinfo(info, f), doca.ErrNotFound, "0000:ff:00.0")
	assert.Equal(t, 1, calls)
}
