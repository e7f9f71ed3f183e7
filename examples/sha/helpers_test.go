package sha_test

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
)

const (
	port0 = "0000:03:00.0" // devices of the emulator
	port1 = "0000:03:00.1"
)

// rig is a context with memory to work on.
type rig struct {
	dev *doca.Device
	pe  *doca.ProgressEngine
	sha *sha.SHA
	mem *doca.Memory
	inv *doca.Inventory
}

// newRig opens a rig until the end of the test.
func newRig(t testing.TB, cfg sha.Config) *rig {
	t.Helper()
	r := openRig(t, cfg)
	t.Cleanup(func() {
		for _, c := range r.closers() {
			assert.NoError(t, c.Close(), "Close of %v", c)
		}
	})
	return r
}

// openRig is newRig without the closing at the end.
func openRig(t testing.TB, cfg sha.Config) *rig {
	t.Helper()
	r := &rig{}
	var err error
	r.dev, err = doca.OpenDevice(port0)
	require.NoError(t, err)
	r.pe, err = doca.NewProgressEngine(doca.EngineConfig{})
	require.NoError(t, err)
	r.sha, err = sha.New(r.dev, r.pe, cfg)
	require.NoError(t, err)
	r.mem, err = doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{r.dev}})
	require.NoError(t, err)
	r.inv, err = doca.NewInventory(1024)
	require.NoError(t, err)
	return r
}

type closer interface {
	Close() error
	fmt.Stringer
}

func (r *rig) closers() []closer { return []closer{r.sha, r.pe, r.inv, r.mem, r.dev} }

// source returns a buffer with n random bytes at an offset of the memory.
func (r *rig) source(t testing.TB, off, n int) *doca.Buffer {
	t.Helper()
	b := r.buffer(t, off, max(n, 1))
	require.NoError(t, b.SetData(0, n))
	fill(b.Data(), uint64(off))
	return b
}

func (r *rig) buffer(t testing.TB, off, n int) *doca.Buffer {
	t.Helper()
	b, err := r.inv.Buffer(r.mem, off, n)
	require.NoError(t, err)
	return b
}

// pair returns the source, of n bytes, and the destination of sum i.
func (r *rig) pair(t testing.TB, i, n int) (src, dst *doca.Buffer) {
	t.Helper()
	return r.source(t, i*(n+32), n), r.buffer(t, i*(n+32)+n, 32)
}

func fill(data []byte, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
}

// wantDigest checks that a buffer has the digest of data, by Go's crypto packages.
func wantDigest(t testing.TB, a sha.Algorithm, dst *doca.Buffer, data []byte) {
	t.Helper()
	if a == sha.SHA1 {
		want := sha1.Sum(data)
		require.Equal(t, want[:], dst.Data())
		return
	}
	want := sha256.Sum256(data)
	require.Equal(t, want[:], dst.Data())
}

// soonish is a context that ends before the test hangs.
func soonish(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
