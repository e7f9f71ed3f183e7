package syncevent

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A wait sleeps between looks: in the time that it takes there is no room for more of them.
func TestPauses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looks, start := 0, time.Now()
	look := func() (uint64, error) {
		if looks++; looks == 20 {
			cancel()
		}
		return 0, nil
	}
	_, err := Polling{Spin: -1}.wait(ctx, nil, nil, look, func(uint64) bool { return false })
	took := time.Since(start)
	require.ErrorIs(t, err, context.Canceled)
	assert.GreaterOrEqual(t, looks, 20)
	assert.Less(t, looks, int(took/minPause)+2)

	assert.False(t, waitTaskCan(255, 0xff))
	assert.False(t, waitTaskCan(1, 0xffffff))
	assert.True(t, waitTaskCan(254, 0xff00))
	assert.True(t, waitTaskCan(0, 0))
}
