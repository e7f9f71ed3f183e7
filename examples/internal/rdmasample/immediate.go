package rdmasample

import "encoding/binary"

// Immediate is the immediate data that is sent: the number 32 in this machine's byte order, as the samples in C have it.
var Immediate = binary.BigEndian.Uint32(binary.NativeEndian.AppendUint32(nil, 32))

// ImmediateOf returns the number that a peer has sent as immediate data, as the samples in C see it.
func ImmediateOf(imm uint32) uint32 {
	return binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, imm))
}
