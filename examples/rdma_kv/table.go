package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
)

// The table is what clients read by RDMA. It is an array of buckets, and a bucket has slotsPerBucket slots of one size.
// A key can be in two buckets, which hash says. A slot has, in little-endian byte order:
//
//	offset  size
//	     0     4  checksum: CRC-32C of all that follows, up to the end of the value
//	     4     2  length of the key; 0: the slot is empty
//	     6     2  length of the value
//	     8     8  version: the number of the change that has written the slot
//	    16        the key, then the value
//
// Nothing keeps a client from reading a slot while the server writes it. So a client takes a slot for valid only if its
// checksum is right, and else reads the bucket again. One of four billion torn slots would pass; a store that cannot live
// with that needs a longer checksum. An empty slot has a checksum as well.
//
// A client reads both buckets of a key. Between these two reads the key may be deleted in one bucket and put into the other.
// If the client has it from one of them, that was its value then; if from none, the key was not there for a moment.
const (
	slotHeader     = 16
	slotsPerBucket = 4
	minSlotSize    = 64
	maxSlotSize    = 32 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errFull    = errors.New("both buckets of the key are full")
	errTooLong = errors.New("key and value are too long for a slot")
	errNoKey   = errors.New("the key is empty")
)

// geometry is the form of a table.
type geometry struct {
	buckets, slotSize int
}

func (g geometry) check() error {
	if g.buckets < 2 || g.buckets > 1<<24 || g.slotSize < minSlotSize || g.slotSize > maxSlotSize || g.slotSize%8 != 0 {
		return fmt.Errorf("%d buckets with slots of %d bytes: there can be 2 to %d buckets, and a slot has %d to %d bytes, a multiple of 8",
			g.buckets, g.slotSize, 1<<24, minSlotSize, maxSlotSize)
	}
	return nil
}

func (g geometry) bucketSize() int { return slotsPerBucket * g.slotSize }
func (g geometry) size() int       { return g.buckets * g.bucketSize() }

// hash returns the two buckets of a key, which differ.
func (g geometry) hash(key []byte) [2]int {
	h := fnv.New64a()
	h.Write(key) // it never fails
	sum := h.Sum64()
	first := int(sum % uint64(g.buckets))
	other := int(sum / uint64(g.buckets) % uint64(g.buckets-1))
	return [2]int{first, (first + 1 + other) % g.buckets}
}

// entry is what a slot has. Its bytes are those of the slot.
type entry struct {
	key, value []byte
	version    uint64
}

// parse returns what a slot has. It returns false if the slot is torn.
func parse(slot []byte) (e entry, ok bool) {
	keyLen, valueLen := int(binary.LittleEndian.Uint16(slot[4:])), int(binary.LittleEndian.Uint16(slot[6:]))
	end := slotHeader + keyLen + valueLen
	if end > len(slot) || binary.LittleEndian.Uint32(slot) != crc32.Checksum(slot[4:end], castagnoli) {
		return entry{}, false
	}
	return entry{slot[slotHeader:][:keyLen], slot[slotHeader+keyLen : end], binary.LittleEndian.Uint64(slot[8:])}, true
}

// write fills a slot.
func write(slot []byte, e entry) {
	binary.LittleEndian.PutUint16(slot[4:], uint16(len(e.key)))
	binary.LittleEndian.PutUint16(slot[6:], uint16(len(e.value)))
	binary.LittleEndian.PutUint64(slot[8:], e.version)
	end := slotHeader + copy(slot[slotHeader:], e.key)
	end += copy(slot[end:], e.value)
	binary.LittleEndian.PutUint32(slot, crc32.Checksum(slot[4:end], castagnoli))
}

// find looks for a key in a bucket. It returns false if a slot is torn, which could have the key.
func find(bucket []byte, slotSize int, key []byte) (e entry, found, ok bool) {
	ok = true
	for ; len(bucket) > 0; bucket = bucket[slotSize:] {
		in, valid := parse(bucket[:slotSize])
		switch {
		case !valid:
			ok = false
		case len(key) > 0 && bytes.Equal(in.key, key):
			return in, true, true
		}
	}
	return entry{}, false, ok
}

// table is the server's own view of its table. It is for one goroutine at a time.
type table struct {
	geometry
	mem     []byte
	version uint64
}

// newTable makes an empty table in mem.
func newTable(g geometry, mem []byte) *table {
	t := &table{geometry: g, mem: mem}
	for b := range g.buckets {
		for s := range slotsPerBucket {
			write(t.slot(b, s), entry{})
		}
	}
	return t
}

func (t *table) slot(bucket, i int) []byte {
	return t.mem[bucket*t.bucketSize()+i*t.slotSize:][:t.slotSize]
}

// place returns the slot that has the key, or nil, and a free slot in the emptier one of its buckets, or nil.
func (t *table) place(key []byte) (has, free []byte) {
	most := 0
	for _, b := range t.hash(key) {
		empty, last := 0, []byte(nil)
		for s := range slotsPerBucket {
			slot := t.slot(b, s)
			switch e, _ := parse(slot); {
			case len(e.key) == 0:
				empty++
				last = slot
			case bytes.Equal(e.key, key):
				has = slot
			}
		}
		if empty > most {
			most, free = empty, last
		}
	}
	return has, free
}

// get returns a value, whose bytes are those of the table.
func (t *table) get(key []byte) (entry, bool) {
	if has, _ := t.place(key); has != nil {
		return parse(has)
	}
	return entry{}, false
}

// put sets a value, and returns its version.
func (t *table) put(key, value []byte) (version uint64, err error) {
	if len(key) == 0 {
		return 0, errNoKey
	}
	if slotHeader+len(key)+len(value) > t.slotSize {
		return 0, errTooLong
	}
	slot, free := t.place(key)
	if slot == nil {
		slot = free
	}
	if slot == nil {
		return 0, errFull
	}
	t.version++
	write(slot, entry{key, value, t.version})
	return t.version, nil
}

// delete removes a key, and reports whether it was there.
func (t *table) delete(key []byte) bool {
	slot, _ := t.place(key)
	if slot == nil {
		return false
	}
	t.version++
	write(slot, entry{version: t.version})
	return true
}
