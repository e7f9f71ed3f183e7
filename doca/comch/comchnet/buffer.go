package comchnet

import "sync"

// blockSize has room for eight messages of the usual size.
const blockSize = 32 << 10

// block is a part of a receive buffer. mem[r:w] is unread data.
type block struct {
	mem  []byte
	r, w int
	next *block
}

var blocks = sync.Pool{New: func() any { return &block{mem: make([]byte, blockSize)} }}

// buffer holds received data in a list of blocks. One goroutine receives messages into the room
// behind the data while another one reads from the front. The Conn's mu guards the fields, and
// every method needs it; it does not guard the bytes.
type buffer struct {
	head, tail *block
	n          int // bytes of unread data
}

// room returns memory behind the data for a message of up to n bytes.
func (b *buffer) room(n int) []byte {
	t := b.tail
	if t != nil && t.r == t.w {
		t.r, t.w = 0, 0
	}
	if t == nil || len(t.mem)-t.w < n {
		next := newBlock(n)
		if t == nil {
			b.head = next
		} else {
			t.next = next
		}
		b.tail, t = next, next
	}
	return t.mem[t.w:]
}

func newBlock(n int) *block {
	if n > blockSize {
		return &block{mem: make([]byte, n)}
	}
	return blocks.Get().(*block)
}

// put makes the first n bytes of the room data.
func (b *buffer) put(n int) {
	b.tail.w += n
	b.n += n
}

// front returns the first data, as much as is in one piece, or nil if there is none.
func (b *buffer) front() []byte {
	for b.head != b.tail && b.head.r == b.head.w {
		b.pop()
	}
	if b.n == 0 {
		return nil
	}
	return b.head.mem[b.head.r:b.head.w]
}

// drop removes the first n bytes of the front.
func (b *buffer) drop(n int) {
	b.head.r += n
	b.n -= n
}

func (b *buffer) pop() {
	h := b.head
	b.head = h.next
	if len(h.mem) == blockSize {
		h.r, h.w, h.next = 0, 0, nil
		blocks.Put(h)
	}
}

// free frees all blocks.
func (b *buffer) free() {
	for b.head != nil {
		b.pop()
	}
	*b = buffer{}
}
