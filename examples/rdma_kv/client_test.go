package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// model is what the store should have: for each key all values that it had or was about to have, nil for none.
type model struct {
	mu     sync.Mutex
	values map[string][][]byte
	done   map[string]int // how many changes of a key the server has confirmed
}

// begin notes that a key is about to have a value.
func (m *model) begin(key string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[key] = append(m.values[key], value)
}

// end notes that the last change has been confirmed, or refused.
func (m *model) end(key string, refused bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.values[key]); refused {
		m.values[key] = append(m.values[key], m.before(key, n-1))
	}
	m.done[key] = len(m.values[key])
}

// before returns the value of a key before change n.
func (m *model) before(key string, n int) []byte {
	if n == 0 {
		return nil
	}
	return m.values[key][n-1]
}

// since returns how many changes of a key are confirmed: a get that begins now returns the value of the last one, or a later one.
func (m *model) since(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.done[key]
}

// allows reports whether a get may have returned a value that has begun after a number of changes.
func (m *model) allows(key string, since int, got []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n := since; n <= len(m.values[key]); n++ {
		if want := m.before(key, n); string(want) == string(got) && (want == nil) == (got == nil) {
			return true
		}
	}
	return false
}

// One client changes keys, and others read them, all the time and in a small table: each get returns a value that the key
// had at some time during the get.
func TestModel(t *testing.T) {
	for _, c := range []struct{ buckets, slot, keys int }{{2, 8192, 6}, {16, 256, 60}} {
		t.Run(fmt.Sprintf("%d buckets", c.buckets), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			server := startServer(t, freePort(), "-buckets", fmt.Sprint(c.buckets), "-slot", fmt.Sprint(c.slot))
			m := &model{values: map[string][][]byte{}, done: map[string]int{}}
			key := func(i int) string { return fmt.Sprintf("key %d", i) }
			writing := make(chan struct{})
			var all sync.WaitGroup
			for reader := range 3 {
				r := newClient(t, server, 4)
				all.Go(func() {
					choice := rand.New(rand.NewPCG(uint64(reader), 1))
					got, keys, since := make([]entry, 4), make([][]byte, 4), make([]int, 4)
					versions := map[string]uint64{}
					for gets := 0; ; gets++ {
						select {
						case <-writing:
							t.Logf("%d gets, %d torn", gets*len(keys), r.torn)
							return
						default:
						}
						for i := range keys {
							keys[i] = []byte(key(choice.IntN(c.keys)))
							since[i] = m.since(string(keys[i]))
						}
						if !assert.NoError(t, r.getAll(ctx, keys, got)) {
							return
						}
						for i, k := range keys {
							if !assert.True(t, m.allows(string(k), since[i], got[i].value), "%s has %.40q", k, got[i].value) {
								return
							}
							if got[i].key != nil {
								assert.GreaterOrEqual(t, got[i].version, versions[string(k)], "a version never goes back")
								versions[string(k)] = got[i].version
							}
						}
					}
				})
			}
			w := newClient(t, server, 1)
			choice := rand.New(rand.NewPCG(7, 7))
			for range 400 {
				k := key(choice.IntN(c.keys))
				var value []byte // none: delete
				if choice.IntN(4) > 0 {
					value = make([]byte, choice.IntN(c.slot-slotHeader-len(k)))
					for i := range value {
						value[i] = byte(choice.Uint32())
					}
				}
				m.begin(k, value)
				var err error
				if value == nil {
					if err = w.delete(ctx, []byte(k)); errors.Is(err, errNotFound) {
						err = nil
					}
				} else {
					_, err = w.put(ctx, []byte(k), value)
				}
				m.end(k, errors.Is(err, errFull))
				if err != nil && !errors.Is(err, errFull) {
					require.NoError(t, err)
				}
			}
			close(writing)
			all.Wait()
			for i := range c.keys {
				k := []byte(key(i))
				got, err := w.get(ctx, k)
				_, asked, askErr := w.ask(ctx, opGet, k, nil)
				assert.Equal(t, err, askErr, "a message says the same")
				assert.Equal(t, string(asked), string(got.value))
				assert.True(t, m.allows(string(k), m.since(string(k)), got.value))
			}
		})
	}
}

func TestGetAll(t *testing.T) {
	server := startServer(t, freePort())
	c := newClient(t, server, 3)
	ctx := t.Context()
	_, err := c.put(ctx, []byte("a"), []byte("1"))
	require.NoError(t, err)
	version, err := c.put(ctx, []byte("b"), nil)
	require.NoError(t, err)
	got := make([]entry, 3)
	require.NoError(t, c.getAll(ctx, [][]byte{[]byte("b"), []byte("c"), []byte("a")}, got))
	assert.Equal(t, entry{[]byte("b"), []byte{}, version}, got[0])
	assert.Nil(t, got[1].key)
	assert.Equal(t, "1", string(got[2].value))
	require.NoError(t, c.getAll(ctx, nil, nil))
	assert.Error(t, c.getAll(ctx, make([][]byte, 4), got))
	assert.ErrorIs(t, c.getAll(ctx, [][]byte{{}}, got), errNoKey)
}
