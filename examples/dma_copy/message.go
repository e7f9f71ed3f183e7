package main

import (
	"encoding/binary"
	"fmt"
)

// The types of messages. The first three are those of NVIDIA's program; a Go program sends the
// others to Go programs only.
const (
	kindDirection        uint32 = 1
	kindExportDescriptor uint32 = 2
	kindStatus           uint32 = 3

	kindFile   uint32 = 101 // source: the file's mode and size
	kindResume uint32 = 102 // receiver: what it has
	kindStart  uint32 = 103 // source: where the copy begins
	kindPass   uint32 = 104 // a part of the host's memory is the other side's now
	kindEnd    uint32 = 105 // source: that was the whole file
	kindAlive  uint32 = 106 // the sender is busy with its file
)

// Each message is a C struct: its type in the machine's byte order, then its members where a
// compiler puts them, with numbers in network byte order.
const (
	directionLen = 16
	exportLen    = 24 // and the descriptor follows
	statusLen    = 8
	fileLen      = 16
	resumeLen    = 16
	startLen     = 16
	passLen      = 32
	endLen       = 16
	aliveLen     = 8
)

// mark is what a Go program puts into two of the three bytes of padding in DIRECTION and
// STATUS, which a C program neither sets nor looks at.
var mark = [2]byte{'G', 'o'}

// version is what a Go program puts into the third byte of padding in DIRECTION: the version
// of the protocol between Go programs.
const version = 1

type message interface{ encode() []byte }

type direction struct {
	inHost   bool   // the host has the file
	size     uint64 // 0 when the sender does not have it
	extended bool   // the sender is a Go program
}

type exportDescriptor struct {
	addr uint64
	desc []byte
}

type status struct {
	ok     bool
	reason reason
}

type fileInfo struct {
	mode uint32
	size uint64
}

type resume struct {
	crc    uint32
	offset uint64
}

type start struct{ offset uint64 }

// pass gives the other side a part of the host's memory. It holds the part of the file that
// begins at offset, or has room for one.
type pass struct{ at, offset, len uint64 }

type end struct {
	crc  uint32
	size uint64
}

// alive says that the sender is busy with its file.
type alive struct{}

// begin returns a message of n bytes with its type, and with the number that shares its first
// eight bytes.
func begin(n int, kind, number uint32) []byte {
	b := make([]byte, n)
	binary.NativeEndian.PutUint32(b, kind)
	if number != 0 {
		binary.BigEndian.PutUint32(b[4:], number)
	}
	return b
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func (m direction) encode() []byte {
	b := begin(directionLen, kindDirection, 0)
	b[4] = boolByte(m.inHost)
	if m.extended {
		b[5], b[6], b[7] = mark[0], mark[1], version
	}
	binary.BigEndian.PutUint64(b[8:], m.size)
	return b
}

func (m exportDescriptor) encode() []byte {
	b := begin(exportLen, kindExportDescriptor, 0)
	binary.BigEndian.PutUint64(b[8:], m.addr)
	binary.BigEndian.PutUint64(b[16:], uint64(len(m.desc)))
	return append(b, m.desc...)
}

func (m status) encode() []byte {
	b := begin(statusLen, kindStatus, 0)
	b[4], b[5], b[6], b[7] = boolByte(m.ok), mark[0], mark[1], byte(m.reason)
	return b
}

func (m fileInfo) encode() []byte {
	b := begin(fileLen, kindFile, m.mode)
	binary.BigEndian.PutUint64(b[8:], m.size)
	return b
}

func (m resume) encode() []byte {
	b := begin(resumeLen, kindResume, m.crc)
	binary.BigEndian.PutUint64(b[8:], m.offset)
	return b
}

func (m start) encode() []byte {
	b := begin(startLen, kindStart, 0)
	binary.BigEndian.PutUint64(b[8:], m.offset)
	return b
}

func (m pass) encode() []byte {
	b := begin(passLen, kindPass, 0)
	binary.BigEndian.PutUint64(b[8:], m.at)
	binary.BigEndian.PutUint64(b[16:], m.offset)
	binary.BigEndian.PutUint64(b[24:], m.len)
	return b
}

func (m end) encode() []byte {
	b := begin(endLen, kindEnd, m.crc)
	binary.BigEndian.PutUint64(b[8:], m.size)
	return b
}

func (m alive) encode() []byte { return begin(aliveLen, kindAlive, 0) }

// lengths has the lengths of all messages but the export descriptor's, which varies.
var lengths = map[uint32]int{
	kindDirection: directionLen, kindStatus: statusLen,
	kindFile: fileLen, kindResume: resumeLen, kindStart: startLen, kindPass: passLen, kindEnd: endLen, kindAlive: aliveLen,
}

func decode(b []byte) (message, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("a message of %d bytes, which is too short", len(b))
	}
	kind := binary.NativeEndian.Uint32(b)
	if kind == kindExportDescriptor {
		return decodeExport(b)
	}
	want, known := lengths[kind]
	if !known {
		return nil, fmt.Errorf("a message of the unknown type %d", kind)
	}
	if len(b) != want {
		return nil, fmt.Errorf("a message of type %d with %d bytes, not %d", kind, len(b), want)
	}
	marked := b[5] == mark[0] && b[6] == mark[1]
	switch kind {
	case kindAlive:
		return alive{}, nil
	case kindStatus:
		m := status{ok: b[4] != 0}
		if marked {
			m.reason = reason(b[7])
		}
		return m, nil
	}
	number, first := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint64(b[8:])
	switch kind {
	case kindDirection:
		return direction{inHost: b[4] != 0, size: first, extended: marked && b[7] == version}, nil
	case kindFile:
		return fileInfo{mode: number, size: first}, nil
	case kindResume:
		return resume{crc: number, offset: first}, nil
	case kindStart:
		return start{offset: first}, nil
	case kindPass:
		return pass{at: first, offset: binary.BigEndian.Uint64(b[16:]), len: binary.BigEndian.Uint64(b[24:])}, nil
	}
	return end{crc: number, size: first}, nil
}

func decodeExport(b []byte) (message, error) {
	if len(b) < exportLen {
		return nil, fmt.Errorf("an export descriptor's message of %d bytes, which is too short", len(b))
	}
	m := exportDescriptor{addr: binary.BigEndian.Uint64(b[8:]), desc: b[exportLen:]}
	if n := binary.BigEndian.Uint64(b[16:]); n != uint64(len(m.desc)) || n == 0 {
		return nil, fmt.Errorf("an export descriptor of %d bytes in a message that holds %d", n, len(m.desc))
	}
	return m, nil
}
