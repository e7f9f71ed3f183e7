package iomsg

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
)

// The bytes that peers exchange, written down by hand.
func TestOnTheWire(t *testing.T) {
	m := Message(make([]byte, Size))
	m.SetUser(0x1122334455667788)
	m.SetRequest(Write, 0x0102030405060708, 0x090a0b0c0d0e0f10, 4096)
	m.SetCorrelation(0xaabbccdd)
	assert.Equal(t, "00000002aabbccdd"+"1122334455667788"+"0000000000001000"+"0102030405060708"+"090a0b0c0d0e0f10"+
		"000000000000000000000000000000000000000000000000", hex.EncodeToString(m))
	assert.Equal(t, Write, m.Type())
	assert.Equal(t, uint64(0x1122334455667788), m.User())
	assert.Equal(t, uint64(0x0102030405060708), m.Requester())
	assert.Equal(t, uint64(0x090a0b0c0d0e0f10), m.Storage())
	assert.Equal(t, uint32(4096), m.Len())
	assert.Equal(t, uint32(0xaabbccdd), m.Correlation())
	m.SetResult(doca.ErrIOFailed)
	assert.Equal(t, "00000000aabbccdd"+"1122334455667788"+"0000001100001000", hex.EncodeToString(m[:24]))
	assert.Equal(t, doca.ErrIOFailed, m.Code())
	m.SetRequest(Read, 1, 2, 3)
	assert.Zero(t, m.Code(), "of the result before")
	assert.Equal(t, "result read write stop type 9", Result.String()+" "+Read.String()+" "+Write.String()+" "+Stop.String()+" "+Type(9).String())
}
