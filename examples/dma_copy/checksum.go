package main

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum counts and sums up the bytes so far: always with CRC-32C, which the two sides
// compare and which costs next to nothing, and with SHA-256 if that is asked for.
type checksum struct {
	n   int64
	crc uint32
	sha hash.Hash
}

func newChecksum(sha bool) *checksum {
	c := &checksum{}
	if sha {
		c.sha = sha256.New()
	}
	return c
}

func (c *checksum) add(b []byte) {
	c.n += int64(len(b))
	c.crc = crc32.Update(c.crc, castagnoli, b)
	if c.sha != nil {
		c.sha.Write(b)
	}
}

func (c *checksum) Write(b []byte) (int, error) {
	c.add(b)
	return len(b), nil
}

func (c *checksum) String() string {
	text := fmt.Sprintf("CRC-32C %08x", c.crc)
	if c.sha != nil {
		text += fmt.Sprintf(", SHA-256 %x", c.sha.Sum(nil))
	}
	return text
}
