package alltests

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// misused are objects, some of which are closed while others use them, and what their methods are given.
type misused struct {
	t       *testing.T
	rig     *doctest.Rig
	objects []any
	batch   sync.Mutex // a batch is for one goroutine at a time
}

func newMisused(t *testing.T) *misused {
	r := doctest.OpenRig(t)
	m := &misused{t: t, rig: r}
	mem := must(doca.NewMemory(8192, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
	m.objects = []any{r.Dev, r.PE, r.DMA, r.DMA.Context, r.Mem, mem, r.Inv, r.Src, r.Dst, must(r.Inv.Buffer(r.Mem, 2048, 100))(t),
		must(r.Dev.OpenRepresentor(doctest.Host0))(t), must(r.DMA.NewBatch(4))(t), must(r.DMA.NewStream(dma.StreamConfig{BufferSize: 512, Buffers: 2}))(t),
		must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t), must(doca.LogSDKTo(slog.DiscardHandler, doca.LogError))(t)}
	return m
}

// argument is one that a method may get, good or not.
func (m *misused) argument(rnd *rand.Rand, in reflect.Type) reflect.Value {
	numbers := []int{0, 1, -1, 64, 100, 4096, math.MaxInt, math.MinInt, math.MaxInt32, 1 << 40}
	texts := []string{"", "03:00.0", "b1:00.0", "x\x00y", os.DevNull, "/nonexistent"}
	switch {
	case in == contextType:
		ctx, cancel := context.WithTimeout(m.t.Context(), time.Duration(rnd.IntN(20))*time.Millisecond)
		m.t.Cleanup(cancel)
		return reflect.ValueOf(ctx)
	case in == reflect.TypeFor[dma.StreamConfig]():
		return reflect.ValueOf(dma.StreamConfig{BufferSize: numbers[rnd.IntN(4)], Buffers: numbers[rnd.IntN(5)]})
	case in.Kind() == reflect.Int:
		return reflect.ValueOf(numbers[rnd.IntN(len(numbers))]).Convert(in)
	case in.Kind() == reflect.String:
		return reflect.ValueOf(texts[rnd.IntN(len(texts))]).Convert(in)
	case in.Kind() == reflect.Slice && in.Elem().Kind() == reflect.Uint8:
		return reflect.ValueOf(make([]byte, rnd.IntN(600)))
	}
	var fit []reflect.Value
	for _, o := range m.objects {
		if reflect.TypeOf(o).AssignableTo(in) {
			fit = append(fit, reflect.ValueOf(o))
		}
	}
	if len(fit) > 0 && rnd.IntN(6) > 0 {
		return fit[rnd.IntN(len(fit))]
	}
	return reflect.Zero(in)
}

// step calls a method.
func (m *misused) step(rnd *rand.Rand) {
	o := m.objects[rnd.IntN(len(m.objects))]
	v := reflect.ValueOf(o)
	i := rnd.IntN(v.NumMethod())
	name := v.Type().Method(i).Name
	if (name == "Close" || name == "Shutdown") && rnd.IntN(30) > 0 || name == "Stop" && rnd.IntN(3) > 0 {
		return // so that there is something left to use
	}
	f := v.Method(i)
	args := make([]reflect.Value, f.Type().NumIn())
	for k := range args {
		args[k] = m.argument(rnd, f.Type().In(k))
	}
	if _, ok := o.(*dma.Batch); ok {
		m.batch.Lock()
		defer m.batch.Unlock()
	}
	defer func() {
		if p := recover(); p != nil {
			assert.Fail(m.t, "panic", "%T.%s(%v): %v", o, name, args, p)
		}
	}()
	if f.Type().IsVariadic() {
		f.CallSlice(args)
	} else {
		f.Call(args)
	}
}

// Goroutines call all methods in any order with any arguments, also of objects that are closed
// meanwhile. Nothing panics or hangs, and in the end all can be closed.
func TestMisuse(t *testing.T) {
	before := doca.OpenObjects()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := newMisused(t)
			var wg sync.WaitGroup
			for g := range uint64(6) {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, g))
					for range 300 {
						m.step(rnd)
					}
				})
			}
			wg.Wait()
			for _, o := range m.objects { // of streams and batches, too
				if c, ok := o.(closer); ok {
					require.NoError(t, inTime(t, c), "%v", o)
				}
			}
			require.Equal(t, before, doca.OpenObjects())
		})
	}
}
