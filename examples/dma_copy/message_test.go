package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Messages are laid out as a C compiler does it.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, m := range []message{
		direction{inHost: true, size: 5}, direction{size: 1 << 40, extended: true}, exportDescriptor{addr: 1 << 60, desc: []byte("abc")},
		status{ok: true}, status{reason: reasonDMA}, fileInfo{mode: 0o755, size: 7}, resume{crc: 1 << 31, offset: 9}, start{offset: 3},
		pass{1, 2, 3}, end{crc: 8, size: 1 << 50}, alive{},
	} {
		t.Run(fmt.Sprintf("%T", m), func(t *testing.T) {
			got, err := decode(m.encode())
			require.NoError(t, err)
			assert.Equal(t, m, got)
		})
	}
	assert.Equal(t, []byte{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}, direction{inHost: true, size: 258}.encode())
	assert.Equal(t, []byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 'x', 'y'}, exportDescriptor{addr: 9, desc: []byte("xy")}.encode())
	assert.Equal(t, []byte{3, 0, 0, 0, 1}, status{ok: true}.encode()[:5])
	got, err := decode(dirty(direction{inHost: true, size: 6}))
	require.NoError(t, err)
	assert.Equal(t, direction{inHost: true, size: 6}, got, "padding says nothing")
}
