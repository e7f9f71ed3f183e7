// Package target is the storage of the storage applications: it moves blocks between its contents and the memory of the
// initiator's host, by RDMA.
package target

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
)

// maxContent is the size of the largest storage, in bytes.
const maxContent = 2 << 30

// sbcMagic begins a file of contents that says how it is cut into blocks.
const sbcMagic = 0xDEADF00D1337FADE

// Content is what a target serves: memory, or a Backend.
type Content struct {
	BlockSize uint32

	Data    []byte                       // memory; it stays mapped while the target runs
	Written func(off int64, n int) error // see [dataplane.Store]; for Data
	Sync    func() error                 // called when the storage stops; may be nil

	Backend dataplane.Backend // used if Data is nil
	Size    int64             // bytes of the Backend
	MaxIO   int               // bytes of the largest transfer with the Backend; 0 means 1 MiB
}

// LoadContent reads a file. It has count blocks of size bytes, or begins with a header that says how many of which size it
// has: then these replace count and size. An empty path makes zeroes. All numbers of the header are big-endian: an 8-byte
// magic number, the block size and the number of blocks, 4 bytes each.
func LoadContent(path string, count, size uint32) (Content, error) {
	if path == "" {
		n, err := contentSize(count, size)
		return Content{Data: make([]byte, n), BlockSize: size}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Content{}, err
	}
	if info.Size() > maxContent {
		return Content{}, fmt.Errorf("%w: %s has %d bytes, more than %d", doca.ErrTooBig, path, info.Size(), maxContent)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Content{}, err
	}
	if magic := binary.BigEndian.AppendUint64(nil, sbcMagic); bytes.HasPrefix(data, magic) {
		if len(data) < 16 {
			return Content{}, fmt.Errorf("%w: %s ends in its header", doca.ErrInvalidValue, path)
		}
		size, count = binary.BigEndian.Uint32(data[8:]), binary.BigEndian.Uint32(data[12:])
		data = data[16:]
	}
	n, err := contentSize(count, size)
	if err == nil && len(data) != n {
		err = fmt.Errorf("%w: %s has %d bytes of contents; %d blocks of %d bytes are %d", doca.ErrInvalidValue, path, len(data), count, size, n)
	}
	return Content{Data: data, BlockSize: size}, err
}

func contentSize(count, size uint32) (int, error) {
	n := uint64(count) * uint64(size)
	switch {
	case n == 0:
		return 0, fmt.Errorf("%w: %d blocks of %d bytes are no storage", doca.ErrInvalidValue, count, size)
	case n > maxContent:
		return 0, fmt.Errorf("%w: %d blocks of %d bytes are more than %d bytes", doca.ErrTooBig, count, size, maxContent)
	}
	return int(n), nil
}
