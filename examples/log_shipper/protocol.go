package main

import (
	"encoding/binary"
	"fmt"
	"regexp"
)

// The first message of a client is its id, and the answer is a count: how many lines the server has. Then the
// client sends records, and the server sends counts when it has written some.

// idForm keeps an id from being a path.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)

func checkID(id string) error {
	if !idForm.MatchString(id) {
		return fmt.Errorf("%q is no id: use up to 64 letters, digits, dots, hyphens and underscores", id)
	}
	return nil
}

// countSize is the length of a count, and of what precedes the line in a record: the number of the line.
const countSize = 8

func count(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func record(n uint64, line []byte) []byte { return append(count(n), line...) }

func parse(msg []byte) (n uint64, line []byte, err error) {
	if len(msg) < countSize {
		return 0, nil, fmt.Errorf("the peer has sent %d bytes, which is no message of this program", len(msg))
	}
	return binary.BigEndian.Uint64(msg), msg[countSize:], nil
}
