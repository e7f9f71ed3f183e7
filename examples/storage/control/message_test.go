package control

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// The bytes that peers exchange, written down by hand.
var onTheWire = []struct {
	m   Message
	hex string
}{
	{Message{Type: TypeError, ID: 1, Correlation: 2, Code: doca.ErrInvalidValue, Text: "no"}, "00000016 00000000 00000001 00000002 00000006 00000002 6e6f"},
	{Message{Type: TypeQueryStorage, ID: 0x01020304, Correlation: 0x05060708}, "0000000c 00000001 01020304 05060708"},
	{Message{Type: TypeQueryStorageResponse, Storage: Storage{Size: 0x100000002, BlockSize: 4096}}, "00000018 00000002 00000000 00000000 0000000100000002 00001000"},
	{Message{Type: TypeInitStorage, Init: Init{Transactions: 64, Cores: 2, Export: []byte{0xab, 0xcd, 0xef}}}, "0000001b 00000003 00000000 00000000 00000040 00000002 00000003 abcdef"},
	{Message{Type: TypeInitStorageResponse}, "0000000c 00000004 00000000 00000000"},
	{Message{Type: TypeCreateRDMAConnection, Connection: Connection{Index: 1, Role: RoleControl, Details: []byte{9}}}, "00000019 00000005 00000000 00000000 00000001 00000001 00000001 09"},
	{Message{Type: TypeCreateRDMAConnectionResponse, Connection: Connection{Role: RoleData}}, "00000018 00000006 00000000 00000000 00000000 00000000 00000000"},
	{Message{Type: TypeStartStorage}, "0000000c 00000007 00000000 00000000"},
	{Message{Type: TypeStartStorageResponse}, "0000000c 00000008 00000000 00000000"},
	{Message{Type: TypeStopStorage}, "0000000c 00000009 00000000 00000000"},
	{Message{Type: TypeStopStorageResponse}, "0000000c 0000000a 00000000 00000000"},
	{Message{Type: TypeShutdown}, "0000000c 0000000b 00000000 00000000"},
	{Message{Type: TypeShutdownResponse}, "0000000c 0000000c 00000000 00000000"},
}

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for _, c := range onTheWire {
		t.Run(c.m.Type.String(), func(t *testing.T) {
			want := unhex(t, c.hex)
			b, err := c.m.Append([]byte("before"))
			require.NoError(t, err)
			assert.Equal(t, "before"+string(want), string(b))
			frame, rest, err := Frames.Next(append(want, 1, 2))
			require.NoError(t, err)
			assert.Equal(t, want, frame)
			assert.Equal(t, []byte{1, 2}, rest)
			m, err := Decode(frame)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprint(c.m), fmt.Sprint(m))
			for n := range want { // a part is no frame, and no message
				frame, _, err := Frames.Next(want[:n])
				assert.NoError(t, err)
				assert.Nil(t, frame)
				_, err = Decode(want[:n])
				assert.ErrorIs(t, err, ErrMalformed)
			}
			_, err = Decode(append(want, 0))
			assert.ErrorIs(t, err, ErrMalformed)
		})
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"unknown type":   "0000000c 0000000d 00000000 00000000",
		"too much":       "00000010 00000007 00000000 00000000 00000000",
		"too little":     "00000014 00000002 00000000 00000000 0000000100000002",
		"length too big": "00000018 00000003 00000000 00000000 00000040 00000002 ffffffff",
		"wrong size":     "0000000d 00000007 00000000 00000000",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(unhex(t, s))
			assert.ErrorIs(t, err, ErrMalformed)
		})
	}
	_, err := (&Message{Type: numTypes}).Append(nil)
	assert.ErrorIs(t, err, ErrMalformed)
	_, err = (&Message{Type: TypeInitStorage, Init: Init{Export: make([]byte, 1<<20)}}).Append(nil)
	assert.ErrorIs(t, err, ErrMalformed)
	for name, b := range map[string][]byte{"an older message": unhex(t, "0014 0001 00000000"), "text": []byte("GET / HTTP/1.1"), "huge": unhex(t, "7fffffff")} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Frames.Next(b)
			assert.ErrorIs(t, err, ErrMalformed)
		})
	}
	_, _, err = OlderFrames.Next(unhex(t, onTheWire[1].hex))
	assert.ErrorIs(t, err, ErrMalformed, "a current message is no older one")
}

func TestResponses(t *testing.T) {
	t.Parallel()
	m := Message{Type: TypeInitStorage, ID: 3, Correlation: 4, Init: Init{Cores: 1}}
	assert.Equal(t, Message{Type: TypeInitStorageResponse, ID: 3, Correlation: 4}, m.Response())
	e := m.ErrorResponse(fmt.Errorf("%w: %s", doca.ErrFull, strings.Repeat("x", 10000)))
	assert.Equal(t, doca.ErrFull, e.Code)
	assert.Len(t, e.Text, 1024)
	assert.Equal(t, doca.ErrUnknown, CodeOf(assert.AnError))
}

// What is read as a message is written as the same bytes.
func FuzzDecode(f *testing.F) {
	for _, c := range onTheWire {
		f.Add(unhex(f, c.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, rest, err := Frames.Next(b)
		if err != nil || frame == nil {
			return
		}
		if len(frame)+len(rest) != len(b) {
			t.Fatalf("%d bytes became %d and %d", len(b), len(frame), len(rest))
		}
		m, err := Decode(frame)
		if err != nil {
			return
		}
		again, err := m.Append(nil)
		if err != nil || string(again) != string(frame) {
			t.Fatalf("%x was written as %x (%v)", frame, again, err)
		}
	})
}
