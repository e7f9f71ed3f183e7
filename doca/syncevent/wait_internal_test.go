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
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	looks, start := 0, time.Now()
	_, err := Polling{Spin: -1}.wait(ctx, nil, nil, func() (uint64, error) { looks++; return 0, nil }, func(uint64) bool { return false })
	took := time.Since(start)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Greater(t, looks, 2)
	assert.Less(t, looks, int(took/minPause)+2)

	assert.False(t, waitTaskCan(255, 0xff))
	assert.False(t, waitTaskCan(1, 0xffffff))
	assert.True(t, waitTaskCan(254, 0xff00))
	assert.True(t, waitTaskCan(0, 0))
}
