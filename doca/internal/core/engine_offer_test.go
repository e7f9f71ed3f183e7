package core_test

import (
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/stretchr/testify/assert"
)

// Drivers offer their cores as long as they get them back soon. When others keep them again and again, drivers sleep for a while instead;
// then one long offer is enough. Few long ones among many short ones are chance.
func TestOffers(t *testing.T) {
	const short, long = 50 * time.Microsecond, 3 * time.Millisecond
	var o core.Offers
	now := time.Second
	offers := func(n int, d time.Duration) {
		for range n {
			o.Took(now, now+d)
			now += d
		}
	}
	offers(100, short)
	assert.Zero(t, o.Until())
	for range 20 {
		offers(2, long)
		offers(60, short)
	}
	assert.Zero(t, o.Until(), "by chance")
	offers(2, long)
	offers(4, short)
	assert.Zero(t, o.Until())
	offers(2, long)
	assert.Equal(t, now+20*long, o.Until())

	now = o.Until()
	offers(1, long)
	assert.Equal(t, now+20*long, o.Until())
	now = o.Until()
	offers(30, short)
	offers(2, long)
	assert.Less(t, o.Until(), now, "all is forgotten")
}
