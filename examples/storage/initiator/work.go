package initiator

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
)

// ErrData means that blocks have come back with other contents than they should have.
var ErrData = errors.New("storage: wrong data")

// Strategy says what a test does.
type Strategy string

// The strategies.
const (
	ReadThroughput        Strategy = "read_throughput_test"
	WriteThroughput       Strategy = "write_throughput_test"
	ReadWriteDataValidity Strategy = "read_write_data_validity_test"
	ReadOnlyDataValidity  Strategy = "read_only_data_validity_test"
)

// Strategies lists them all.
var Strategies = []Strategy{ReadThroughput, WriteThroughput, ReadWriteDataValidity, ReadOnlyDataValidity}

func (s Strategy) writes() bool { return s == WriteThroughput || s == ReadWriteDataValidity }
func (s Strategy) checks() bool { return s == ReadWriteDataValidity || s == ReadOnlyDataValidity }

// Content is what the storage should hold. If it is empty, each byte is the lowest 8 bits of its offset.
type Content []byte

// pattern has the default content, for any offset in the first 256 bytes.
type contents struct {
	file    Content
	pattern []byte
}

func newContents(file Content, ioSize int) contents {
	c := contents{file: file}
	if file == nil {
		c.pattern = make([]byte, 256+ioSize)
		for i := range c.pattern {
			c.pattern[i] = byte(i)
		}
	}
	return c
}

func (c contents) at(off uint64, n int) []byte {
	if c.file != nil {
		return c.file[off:][:n]
	}
	return c.pattern[off%256:][:n]
}

// share is a part of a number of things that workers divide among them.
type share struct{ first, n uint64 }

// divide divides n things into parts that differ by one at most; the first ones get more.
func divide(n uint64, parts int) []share {
	shares, first := make([]share, parts), uint64(0)
	for i := range shares {
		size := n / uint64(parts)
		if uint64(i) < n%uint64(parts) {
			size++
		}
		shares[i] = share{first, size}
		first += size
	}
	return shares
}

// transaction is one slot's part of a test: one unit of the storage after the other.
type transaction struct {
	unit    uint64 // of the worker's share
	reading bool   // else it writes
	began   time.Time
}

// worker is one core's part of a test.
type worker struct {
	lane     *dataplane.Lane
	strategy Strategy
	region   []byte
	ioSize   int
	local    share // in units of ioSize
	storage  share
	limit    uint64 // requests
	contents contents

	transactions []transaction
	started      uint64
	active       int
	latency      *Latency
	done         atomic.Uint64 // requests that have ended, and how long they have taken in all, in ns: for the sampler
	took         atomic.Int64
	begin, end   time.Time
}

// run runs the test until the limit is reached, or stop is true, or something fails. In any case but a failure nothing is in flight
// when it ends.
func (w *worker) run(stop *atomic.Bool) error {
	w.begin = time.Now()
	now := w.begin
	for i := range w.transactions {
		w.transactions[i].unit = uint64(i)
		w.next(i, now, stop)
	}
	for w.active > 0 {
		ended, err := w.lane.Poll()
		if err != nil {
			return err
		}
		if len(ended) == 0 {
			continue
		}
		now = time.Now()
		for _, e := range ended {
			if err := w.ended(e, now, stop); err != nil {
				return err
			}
		}
	}
	w.end = time.Now()
	return nil
}

// next begins a transaction's work on its unit, if there is some left.
func (w *worker) next(slot int, now time.Time, stop *atomic.Bool) {
	need := uint64(1)
	if w.strategy == ReadWriteDataValidity {
		need = 2
	}
	if stop.Load() || w.started > 0 && w.started+need > w.limit {
		return
	}
	w.started += need
	w.active++
	off, block := w.place(slot)
	t := &w.transactions[slot]
	t.reading = !w.strategy.writes()
	switch w.strategy {
	case ReadWriteDataValidity, WriteThroughput:
		copy(block, w.contents.at(off, w.ioSize))
	case ReadOnlyDataValidity:
		clear(block)
	}
	w.start(slot, now)
}

// place returns where a slot's unit is in the storage, and the memory for it.
func (w *worker) place(slot int) (off uint64, block []byte) {
	t := &w.transactions[slot]
	return (w.storage.first + t.unit) * uint64(w.ioSize), w.region[(w.local.first+uint64(slot))*uint64(w.ioSize):][:w.ioSize]
}

func (w *worker) start(slot int, now time.Time) {
	t := &w.transactions[slot]
	t.began = now
	off, _ := w.place(slot)
	kind := iomsg.Write
	if t.reading {
		kind = iomsg.Read
	}
	w.lane.Message(slot).SetRequest(kind, (w.local.first+uint64(slot))*uint64(w.ioSize), off, uint32(w.ioSize))
	w.lane.Start(slot)
}

// ended goes on after a request has ended.
func (w *worker) ended(e dataplane.Completion, now time.Time, stop *atomic.Bool) error {
	t := &w.transactions[e.Slot]
	off, block := w.place(e.Slot)
	if e.Code != 0 {
		what := "write"
		if t.reading {
			what = "read"
		}
		return fmt.Errorf("%w: the storage could not %s %d bytes at %d", e.Code, what, w.ioSize, off)
	}
	took := now.Sub(t.began)
	w.latency.add(took)
	w.done.Add(1)
	w.took.Add(int64(took))
	if t.reading && w.strategy.checks() {
		if want := w.contents.at(off, w.ioSize); !bytes.Equal(block, want) {
			return wrong(block, want, off)
		}
	}
	if !t.reading && w.strategy == ReadWriteDataValidity {
		clear(block)
		t.reading = true
		w.start(e.Slot, now)
		return nil
	}
	w.active--
	if t.unit += uint64(len(w.transactions)); t.unit >= w.storage.n { // units of a slot are no other slot's
		t.unit = uint64(e.Slot)
	}
	w.next(e.Slot, now, stop)
	return nil
}

func wrong(got, want []byte, off uint64) error {
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Errorf("%w: byte %d of the storage is %#02x and should be %#02x", ErrData, off+uint64(i), got[i], want[i])
}

// plan says how much each worker has.
func plan(storageUnits, localUnits uint64, cores int, transactions int, limit uint64) (storage, local []share, slots []int, err error) {
	storage, local = divide(storageUnits, cores), divide(localUnits, cores)
	slots = make([]int, cores)
	for i := range slots {
		slots[i] = int(min(uint64(transactions), limit, storage[i].n, local[i].n))
		if slots[i] == 0 {
			return nil, nil, nil, fmt.Errorf("%w: the storage (%d transfers) or the local region (%d) is too small for %d cores: use fewer cores, a larger region or fewer blocks per IO", doca.ErrInvalidValue, storageUnits, localUnits, cores)
		}
	}
	return storage, local, slots, nil
}
