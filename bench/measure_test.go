package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-doca/go-doca/bench/result"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sleeper is a side whose rounds take the times of the list in turn, the last one for ever.
func sleeper(ops int, log *[]string, name string, times ...time.Duration) side {
	return side{name: name, ops: ops, run: func(rounds int) {
		*log = append(*log, name)
		for range rounds {
			time.Sleep(times[0])
			if len(times) > 1 {
				times = times[1:]
			}
		}
	}}
}

// It counts what the process allocates, so no other test runs beside it.
func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock is exact
		var log []string
		sides := []side{sleeper(2, &log, "Go", 4*time.Millisecond), sleeper(1, &log, "C", time.Millisecond), sleeper(4, &log, "memcpy", 16*time.Millisecond)}
		sides[1].goal = result.AtLeast(0.5)
		rows := plan{turns: 4, turn: 64 * time.Millisecond}.measure(row{group: "DMA", name: "batch"}, sides)
		require.Len(t, rows, 2)
		assert.Equal(t, "DMA/batch/C", rows[0].Key())
		assert.InDelta(t, 0, *rows[0].Allocs, 1, "of the few that a bubble's clock makes")
		assert.Equal(t, []float64{2e6, 1e6, 0.5, 1e6}, []float64{rows[0].Go, rows[0].Other, rows[0].Ratio.Median, rows[0].Extra.Median})
		assert.Equal(t, result.AtLeast(0.5), rows[0].Goal)
		assert.Equal(t, "memcpy", rows[1].Against)
		assert.Equal(t, []float64{2e6, 4e6, 2, -2e6}, []float64{rows[1].Go, rows[1].Other, rows[1].Ratio.Median, rows[1].Extra.Median})
		want := []string{"Go", "C", "memcpy", "memcpy", "C", "Go", "Go", "C", "memcpy", "memcpy", "C", "Go"}
		assert.Equal(t, want, log[len(log)-12:], "the order alternates")
	})
}

// A side whose first round is slow, as if the machine was busy, is still measured for as long as the turns say.
func TestRounds(t *testing.T) {
	t.Parallel()
	p := plan{turns: 41, turn: 20 * time.Millisecond}
	for _, c := range []struct {
		name  string
		times []time.Duration
		want  int
	}{
		{"short", []time.Duration{time.Microsecond}, 20000},
		{"slow at first", []time.Duration{time.Second, time.Millisecond}, 20},
		{"slow once more", []time.Duration{time.Microsecond, time.Second, time.Microsecond}, 20000},
		{"slow for a while", []time.Duration{time.Microsecond, time.Second, time.Second, time.Second, time.Second, time.Microsecond}, 20000},
		{"longer than a turn", []time.Duration{3 * time.Second}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log []string
				assert.Equal(t, c.want, p.rounds(sleeper(1, &log, "", c.times...)))
			})
		})
	}
}

// The ratio is the median of the pairs, and not that of the medians or the best.
func TestCompare(t *testing.T) {
	t.Parallel()
	r := compare([]float64{10, 20, 30, 40, 50}, []float64{9, 19, 15, 20, 10})
	assert.Equal(t, result.Quartiles{Low: 0.5, Median: 0.5, High: 0.9}, r.Ratio)
	assert.Equal(t, result.Quartiles{Low: 1, Median: 15, High: 20}, r.Extra)
	assert.Equal(t, []float64{30, 15}, []float64{r.Go, r.Other})
}

func TestScaling(t *testing.T) {
	t.Parallel()
	s := scales([][]float64{{5, 10}, {5, 5}, {8, 10}, {10, 10}})
	assert.InDelta(t, (1.6/2+1.0/2)/2, s.Median, 1e-9)
}

// The history finds a row again by its name.
func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range allRows() {
		assert.False(t, seen[r.title()], r.title())
		seen[r.title()] = true
	}
	assert.Greater(t, len(seen), 40)
}
