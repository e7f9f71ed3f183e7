package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A yield that wakes a thread for nothing again and again is left out, until one has let a goroutine run.
func TestYielding(t *testing.T) {
	t.Parallel()
	const cheap, wake, useful = 200 * time.Nanosecond, 2500 * time.Nanosecond, 20 * time.Microsecond
	var y yielding
	// wait makes polls turns, in which the others take d, and returns in which of them others ran.
	wait := func(polls int, d time.Duration) (at []int) {
		for idle := 1; idle <= polls; idle++ {
			if y.due(idle) {
				at = append(at, idle)
				y.took(d)
			}
		}
		return at
	}
	for range 100 {
		assert.Equal(t, []int{1, 17, 33}, wait(40, cheap), "it costs nothing")
		assert.Equal(t, []int{1, 17, 33}, wait(40, useful))
	}
	for range wasteLimit {
		assert.Equal(t, []int{1}, wait(10, wake))
	}
	for range 3 {
		for range spareLimit - 1 {
			assert.Empty(t, wait(10, wake))
		}
		assert.Equal(t, []int{1}, wait(10, wake), "one is tried")
	}
	assert.Equal(t, []int{1 + (spareLimit-1)*yieldEvery}, wait(spareLimit*yieldEvery, wake), "one in a longer wait")
	assert.Equal(t, []int{1 + (spareLimit-1)*yieldEvery, 1 + spareLimit*yieldEvery}, wait(1+spareLimit*yieldEvery, useful), "it finds that there are others")
	assert.Equal(t, []int{1}, wait(10, wake))
	for range wasteLimit - 2 {
		wait(10, wake)
	}
	wait(10, useful)
	for range wasteLimit - 1 {
		assert.Equal(t, []int{1}, wait(10, wake), "not in a row")
	}
}
