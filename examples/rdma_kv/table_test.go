package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeometry(t *testing.T) {
	for _, g := range []geometry{{1, 64}, {1<<24 + 1, 64}, {2, 56}, {2, 65}, {2, maxSlotSize + 8}} {
		assert.Error(t, g.check(), "%v", g)
	}
	for _, buckets := range []int{2, 3, 4096} {
		g := geometry{buckets, 64}
		require.NoError(t, g.check())
		seen := map[int]int{}
		for i := range 20 * buckets {
			h := g.hash(fmt.Append(nil, i))
			assert.NotEqual(t, h[0], h[1])
			for _, b := range h {
				require.True(t, b >= 0 && b < buckets)
				seen[b]++
			}
		}
		assert.Len(t, seen, buckets, "all buckets are used")
	}
}

// A slot that has parts of two entries is found out, wherever the one ends and the other begins.
func TestTorn(t *testing.T) {
	before, after := make([]byte, 128), make([]byte, 128)
	for name, c := range map[string][2]entry{
		"other value":  {{[]byte("key"), bytes.Repeat([]byte("a"), 90), 1}, {[]byte("key"), bytes.Repeat([]byte("b"), 90), 2}},
		"same value":   {{[]byte("key"), []byte("value"), 1}, {[]byte("key"), []byte("value"), 2}},
		"shorter":      {{[]byte("key"), bytes.Repeat([]byte("a"), 90), 1}, {[]byte("key"), []byte("b"), 2}},
		"deleted":      {{[]byte("key"), []byte("value"), 1}, {version: 2}},
		"put":          {{}, {[]byte("key"), []byte("value"), 2}},
		"other key":    {{[]byte("key"), []byte("value"), 1}, {[]byte("kez"), []byte("value"), 2}},
		"another size": {{[]byte("key"), []byte("value"), 1}, {[]byte("keyva"), []byte("lue"), 2}},
	} {
		t.Run(name, func(t *testing.T) {
			write(before, c[0])
			write(after, c[1])
			for at := range before {
				slot := append(bytes.Clone(before[:at]), after[at:]...)
				if bytes.Equal(slot[:slotHeader+len(c[0].key)+len(c[0].value)], before[:slotHeader+len(c[0].key)+len(c[0].value)]) ||
					bytes.Equal(slot[:slotHeader+len(c[1].key)+len(c[1].value)], after[:slotHeader+len(c[1].key)+len(c[1].value)]) {
					continue // whole
				}
				_, ok := parse(slot)
				assert.False(t, ok, "%d bytes of the one", at)
			}
		})
	}
	for _, wrong := range [][]byte{make([]byte, 64), bytes.Repeat([]byte{0xff}, 64)} {
		_, ok := parse(wrong)
		assert.False(t, ok)
	}
}

// The table does what a map does, as long as there is room.
func TestTable(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		g := geometry{2 + r.IntN(8), minSlotSize}
		table, model := newTable(g, make([]byte, g.size())), map[string]string{}
		for range 2000 {
			key, value := fmt.Append(nil, "key ", r.IntN(2*slotsPerBucket*g.buckets)), fmt.Append(nil, r.Uint64())
			was, had := model[string(key)]
			switch r.IntN(3) {
			case 0:
				if _, err := table.put(key, value); err == nil {
					model[string(key)] = string(value)
				} else {
					require.ErrorIs(t, err, errFull)
					require.False(t, had, "there is room for what is there")
				}
			case 1:
				require.Equal(t, had, table.delete(key))
				delete(model, string(key))
			default:
				got, found := table.get(key)
				require.Equal(t, had, found)
				require.Equal(t, was, string(got.value))
			}
		}
	}
	g := geometry{64, minSlotSize}
	table, n := newTable(g, make([]byte, g.size())), 0
	for ; ; n++ {
		if _, err := table.put(fmt.Append(nil, n), nil); err != nil {
			break
		}
	}
	assert.Greater(t, n, g.buckets*slotsPerBucket*7/10, "the choice of two buckets fills the table")
}
