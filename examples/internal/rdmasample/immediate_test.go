package rdmasample

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestImmediate(t *testing.T) {
	assert.EqualValues(t, 32, ImmediateOf(Immediate))
	// What goes over the wire, and what a C program has in a doca_be32_t.
	wire := binary.BigEndian.AppendUint32(nil, Immediate)
	assert.EqualValues(t, 32, binary.NativeEndian.Uint32(wire))
}
