package initiator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLatency(t *testing.T) {
	a, b := newLatency(), newLatency()
	assert.Zero(t, a.Mean())
	for i := 1; i <= 1000; i++ {
		l := a
		if i%2 == 0 {
			l = b
		}
		l.add(time.Duration(i) * time.Microsecond)
	}
	a.merge(b)
	a.merge(newLatency())
	assert.Equal(t, time.Microsecond, a.Min())
	assert.Equal(t, time.Millisecond, a.Max())
	assert.Equal(t, 500500*time.Nanosecond, a.Mean())
	assert.InEpsilon(t, 500*time.Microsecond, a.Percentile(50), 0.001)
	assert.InEpsilon(t, 990*time.Microsecond, a.Percentile(99), 0.001)
	a.add(time.Hour) // more than the histogram has room for
	assert.Equal(t, time.Hour, a.Max())
	assert.InEpsilon(t, time.Minute, a.Percentile(100), 0.001)
	assert.Zero(t, testing.AllocsPerRun(100, func() { a.add(time.Millisecond) }))
}

func TestPlan(t *testing.T) {
	t.Parallel()
	storage, local, slots, err := plan(10, 7, 3, 4, 100)
	assert.NoError(t, err)
	assert.Equal(t, []share{{0, 4}, {4, 3}, {7, 3}}, storage, "the remainder goes to the first")
	assert.Equal(t, []share{{0, 3}, {3, 2}, {5, 2}}, local)
	assert.Equal(t, []int{3, 2, 2}, slots)
	_, _, slots, err = plan(100, 100, 2, 4, 1)
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 1}, slots, "no more than the limit")
	for _, c := range [][2]uint64{{1, 10}, {10, 1}} {
		_, _, _, err = plan(c[0], c[1], 2, 4, 100)
		assert.ErrorContains(t, err, "too small for 2 cores")
	}
}
