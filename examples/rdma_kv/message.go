package main

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

// A client sends a request, and the server answers it. Numbers are little-endian. A request is the operation (1 byte), the
// length of the key (2 bytes), the key and the value. An answer is a status (1 byte), a version (8 bytes) and a value.
type operation byte

const (
	opHello  operation = 1 + iota // the answer's value is a welcome
	opGet                         // for comparison: reads of the table are faster
	opPut                         // the answer has the version
	opDelete                      // the status says whether the key was there
)

const (
	requestHeader = 3
	answerHeader  = 9
)

// status is the outcome of a request.
type status byte

const (
	statusOK status = iota
	statusNotFound
	statusFull
	statusTooLong
	statusWrong
)

var errNotFound = errors.New("the store has no such key")

// err returns the error of a status.
func (s status) err() error {
	switch s {
	case statusOK:
		return nil
	case statusNotFound:
		return errNotFound
	case statusFull:
		return errFull
	case statusTooLong:
		return errTooLong
	}
	return fmt.Errorf("%w: the server does not understand the request", doca.ErrInvalidValue)
}

// messageSize is the length of the longest request and of the longest answer. A descriptor of DOCA needs up to 4 KiB.
func (g geometry) messageSize() int { return max(g.slotSize, 8<<10) }

// putRequest writes a request to b, and returns its length.
func putRequest(b []byte, op operation, key, value []byte) (int, error) {
	n := requestHeader + len(key) + len(value)
	if n > len(b) {
		return 0, errTooLong
	}
	b[0] = byte(op)
	binary.LittleEndian.PutUint16(b[1:], uint16(len(key)))
	copy(b[requestHeader:], key)
	copy(b[requestHeader+len(key):], value)
	return n, nil
}

func parseRequest(b []byte) (op operation, key, value []byte, ok bool) {
	if len(b) < requestHeader {
		return 0, nil, nil, false
	}
	n := int(binary.LittleEndian.Uint16(b[1:]))
	if n > len(b)-requestHeader {
		return 0, nil, nil, false
	}
	return operation(b[0]), b[requestHeader:][:n], b[requestHeader+n:], true
}

// putAnswer writes an answer to b, and returns its length.
func putAnswer(b []byte, s status, version uint64, value []byte) int {
	b[0] = byte(s)
	binary.LittleEndian.PutUint64(b[1:], version)
	return answerHeader + copy(b[answerHeader:], value)
}

func parseAnswer(b []byte) (version uint64, value []byte, err error) {
	if len(b) < answerHeader {
		return 0, nil, fmt.Errorf("%w: the server has sent %d bytes, which is no answer", doca.ErrInvalidValue, len(b))
	}
	return binary.LittleEndian.Uint64(b[1:]), b[answerHeader:], status(b[0]).err()
}

// answer carries out a request, and writes the answer to out. It returns the length of the answer.
func (t *table) answer(request, welcome, out []byte) int {
	op, key, value, ok := parseRequest(request)
	switch {
	case !ok:
	case op == opHello:
		return putAnswer(out, statusOK, 0, welcome)
	case op == opGet:
		if e, found := t.get(key); found {
			return putAnswer(out, statusOK, e.version, e.value)
		}
		return putAnswer(out, statusNotFound, 0, nil)
	case op == opPut:
		version, err := t.put(key, value)
		switch {
		case err == nil:
			return putAnswer(out, statusOK, version, nil)
		case errors.Is(err, errFull):
			return putAnswer(out, statusFull, 0, nil)
		case errors.Is(err, errTooLong):
			return putAnswer(out, statusTooLong, 0, nil)
		}
	case op == opDelete:
		if t.delete(key) {
			return putAnswer(out, statusOK, t.version, nil)
		}
		return putAnswer(out, statusNotFound, 0, nil)
	}
	return putAnswer(out, statusWrong, 0, nil)
}

// A welcome is the geometry, two numbers of 4 bytes, and the descriptor of the table's memory.
func putWelcome(g geometry, descriptor []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(g.buckets))
	b = binary.LittleEndian.AppendUint32(b, uint32(g.slotSize))
	return append(b, descriptor...)
}

func parseWelcome(b []byte) (g geometry, descriptor []byte, err error) {
	if len(b) < 8 {
		return geometry{}, nil, fmt.Errorf("%w: the server has not described its table", doca.ErrInvalidValue)
	}
	g = geometry{int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))}
	return g, b[8:], g.check()
}
