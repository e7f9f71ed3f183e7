package core

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// breathe uses an engine again and again for as long as lasts. An operation takes d. It returns the times of the breaths and the number of looks at the clock.
func (b *breath) breathe(now *time.Duration, lasts time.Duration, d func() time.Duration) (at []time.Duration, looks int) {
	for end := *now + lasts; *now < end; *now += d() {
		if b.left--; b.left < 0 {
			looks++
			if b.due(*now) {
				at = append(at, *now)
			}
		}
	}
	return at, looks
}

func always(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// However long operations take, a goroutine lets the scheduler run before the runtime preempts it, and not more often than it needs to.
func TestBreath(t *testing.T) {
	t.Parallel()
	const patience, lasts = 10 * time.Millisecond, 200 * time.Millisecond // the runtime has patience
	random := rand.New(rand.NewPCG(1, 2))
	for name, d := range map[string]func() time.Duration{
		"15ns": always(15 * time.Nanosecond), "100ns": always(100 * time.Nanosecond), "1.4µs": always(1400 * time.Nanosecond), "10µs": always(10 * time.Microsecond),
		"300µs": always(300 * time.Microsecond), "2ms": always(2 * time.Millisecond), "4.9ms": always(4900 * time.Microsecond),
		"mixed": func() time.Duration { return time.Duration(random.IntN(20000)) },
	} {
		var b breath
		now := time.Minute
		b.breathe(&now, 50*time.Millisecond, d) // the first ones
		at, looks := b.breathe(&now, lasts, d)
		require.GreaterOrEqual(t, len(at), int(lasts/patience), name)
		for i := range at[1:] {
			gap := at[i+1] - at[i]
			assert.Less(t, gap, patience, name)
			assert.GreaterOrEqual(t, gap, breathTime, name)
		}
		assert.LessOrEqual(t, looks, int(lasts/(15*time.Nanosecond*breathUses))+1, "%s: looks at the clock", name)
	}
}

// Operations that suddenly take much longer are noticed.
func TestBreathAfterAChange(t *testing.T) {
	t.Parallel()
	var b breath
	now := time.Minute
	b.breathe(&now, 100*time.Millisecond, always(50*time.Nanosecond))
	b.breathe(&now, 20*time.Millisecond, always(10*time.Microsecond))
	at, _ := b.breathe(&now, 100*time.Millisecond, always(10*time.Microsecond))
	assert.Greater(t, len(at), 10)
	at, _ = b.breathe(&now, 100*time.Millisecond, always(50*time.Nanosecond))
	assert.Greater(t, len(at), 10)
}

// Who uses an engine now and then is not delayed: it has not run for long.
func TestBreathOfAnIdleEngine(t *testing.T) {
	t.Parallel()
	var b breath
	now := time.Minute
	b.breathe(&now, 100*time.Millisecond, always(50*time.Nanosecond))
	b.breathe(&now, 100*time.Second, always(10*time.Millisecond)) // until it has noticed
	at, _ := b.breathe(&now, time.Second, always(10*time.Millisecond))
	assert.Empty(t, at)
}
