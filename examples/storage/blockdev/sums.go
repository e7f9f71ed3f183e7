package blockdev

import (
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
)

// ErrData means that a block has come back with other contents than were written.
var ErrData = errors.New("blockdev: wrong data")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums has the checksums of the blocks that were written as a whole. A storage may have any number of blocks, so it has them in parts,
// those where something was written.
type sums struct {
	size  int64 // of a block
	mu    sync.Mutex
	parts map[int64]*[partSize]blockSum
}

// partSize is the number of blocks of a part.
const partSize = 1 << 12

type blockSum struct {
	crc     uint32
	version uint32 // changes when a write begins and when it ends
	writers uint16 // writes in flight
	known   bool   // crc is that of the block
}

func newSums(block int) *sums {
	return &sums{size: int64(block), parts: map[int64]*[partSize]blockSum{}}
}

// of returns what there is of a block; nil if nothing was written near it.
func (s *sums) of(block int64) *blockSum {
	if p := s.parts[block/partSize]; p != nil {
		return &p[block%partSize]
	}
	return nil
}

// writing returns the same for a block that is about to be written.
func (s *sums) writing(block int64) *blockSum {
	if s.parts[block/partSize] == nil {
		s.parts[block/partSize] = new([partSize]blockSum)
	}
	return s.of(block)
}

// touched returns the blocks that a request touches, from first to before last.
func (s *sums) touched(r *Request) (first, last int64) {
	if len(r.Data) == 0 {
		return 0, 0
	}
	return r.Offset / s.size, (r.Offset + int64(len(r.Data)) + s.size - 1) / s.size
}

// whole returns the bytes of a block in a request, nil if it has not the whole block.
func (s *sums) whole(r *Request, block int64) []byte {
	at := block*s.size - r.Offset
	if at < 0 || at+s.size > int64(len(r.Data)) {
		return nil
	}
	return r.Data[at:][:s.size]
}

// begin is called before a request. It returns the versions of the blocks that it touches.
func (s *sums) begin(r *Request) []uint32 {
	first, last := s.touched(r)
	versions := make([]uint32, 0, last-first)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := first; i < last; i++ {
		version := uint32(0)
		if r.Write {
			b := s.writing(i)
			b.version++
			b.writers++
			b.known = false
			version = b.version
		} else if b := s.of(i); b != nil {
			version = b.version
		}
		versions = append(versions, version)
	}
	return versions
}

// end is called when a request has ended. It returns [ErrData] for a read that did not get what was written. Blocks that were written at
// the same time are not checked: what they should be nobody knows.
func (s *sums) end(r *Request, versions []uint32) error {
	first, _ := s.touched(r)
	crcs := make([]uint32, len(versions))
	for i := range crcs {
		if b := s.whole(r, first+int64(i)); b != nil {
			crcs[i] = crc32.Checksum(b, castagnoli)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for i, v := range versions {
		b := s.of(first + int64(i))
		if b == nil {
			continue
		}
		has := r.Err == nil && s.whole(r, first+int64(i)) != nil
		if r.Write {
			b.crc, b.known = crcs[i], has && b.writers == 1 && b.version == v
			b.writers--
			b.version++
			continue
		}
		if has && err == nil && b.known && b.version == v && b.crc != crcs[i] {
			err = fmt.Errorf("%w: block %d of the storage is not what was written", ErrData, first+int64(i))
		}
	}
	return err
}
