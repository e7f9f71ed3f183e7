package control

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// The bytes of the older variant, written down by hand.
var olderOnTheWire = []struct {
	m   OlderMessage
	hex string
}{
	{OlderMessage{Type: OlderResponse, Correlation: 7}, "000c 0000 00000007 00000000"},
	{OlderMessage{Type: OlderResponse, Correlation: 7, Code: doca.ErrFull, Text: "no room"}, "0013 0000 00000007 00000018 6e6f20726f6f6d"},
	{OlderMessage{Type: OlderConfigureDataPath, Correlation: 1, Buffers: 64, BufferSize: 4096, BatchSize: 32, Blob: []byte{0xab, 0xcd, 0xef}},
		"0017 0001 00000001 00000040 00001000 00000020 abcdef"},
	{OlderMessage{Type: OlderConfigureDataPath, Correlation: 1, Buffers: 64, BufferSize: 4096, BatchSize: 32, Blob: []byte{0xab, 0xcd, 0xef}, Prefixed: true},
		"001b 0001 00000001 00000040 00001000 00000020 00000003 abcdef"},
	{OlderMessage{Type: OlderCreateRDMAConnection, Role: 1, Blob: []byte{5}}, "000a 0002 00000000 01 05"},
	{OlderMessage{Type: OlderCreateRDMAConnectionResponse, Role: 0, Blob: []byte{5, 6}, Prefixed: true}, "000f 0003 00000000 00 00000002 0506"},
	{OlderMessage{Type: OlderStartDataPathConnections}, "0008 0004 00000000"},
	{OlderMessage{Type: OlderStartStorage}, "0008 0005 00000000"},
	{OlderMessage{Type: OlderDestroyObjects}, "0008 0006 00000000"},
}

func TestOlderMessages(t *testing.T) {
	t.Parallel()
	for _, c := range olderOnTheWire {
		t.Run(fmt.Sprint(c.m.Type, c.m.Prefixed), func(t *testing.T) {
			want := unhex(t, c.hex)
			b, err := c.m.Append([]byte("before"))
			require.NoError(t, err)
			assert.Equal(t, "before"+string(want), string(b))
			frame, rest, err := OlderFrames.Next(append(want, 1))
			require.NoError(t, err)
			assert.Equal(t, want, frame)
			assert.Equal(t, []byte{1}, rest)
			m, err := DecodeOlder(frame)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprint(c.m), fmt.Sprint(m))
			for n := range want {
				_, err = DecodeOlder(want[:n])
				assert.ErrorIs(t, err, ErrMalformed)
			}
		})
	}
	for name, s := range map[string]string{
		"unknown type": "0008 0007 00000000", "too short": "000a 0000 00000000 0000", "too much": "0009 0004 00000000 00", "wrong size": "0009 0004 00000000",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeOlder(unhex(t, s))
			assert.ErrorIs(t, err, ErrMalformed)
		})
	}
	_, err := (&OlderMessage{Type: OlderConfigureDataPath, Blob: make([]byte, maxOlder)}).Append(nil)
	assert.ErrorIs(t, err, ErrMalformed)
	_, err = (&OlderMessage{Type: numOlderTypes}).Append(nil)
	assert.ErrorIs(t, err, ErrMalformed)
	answer := (&OlderMessage{Type: OlderStartStorage, Correlation: 4}).Response(fmt.Errorf("%w: full", doca.ErrFull))
	assert.Equal(t, OlderMessage{Type: OlderResponse, Correlation: 4, Code: doca.ErrFull, Text: answer.Text}, answer)
	assert.Contains(t, answer.Text, "full")
}

// What is read as a message is written as the same bytes.
func FuzzDecodeOlder(f *testing.F) {
	for _, c := range olderOnTheWire {
		f.Add(unhex(f, c.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, _, err := OlderFrames.Next(b)
		if err != nil || frame == nil || len(frame) > maxOlder {
			return
		}
		m, err := DecodeOlder(frame)
		if err != nil {
			return
		}
		again, err := m.Append(nil)
		if err != nil || string(again) != string(frame) {
			t.Fatalf("%x was written as %x (%v)", frame, again, err)
		}
	})
}
