package comchnet

import "sync"

// blockSize is enough for eight messages of the usual size.
const blockSize = 32 << 10

// block is a piece of a receive buffer: mem[r:w] is unread data.
type block struct {
	mem  []byte
	r, w int
	next *block
}

var blocks = sync.Pool{New: func() any { return &block{mem: make([]byte, blockSize)} }}

// buffer is received data in a list of blocks. Messages are received straight into the room
// behind the last data, while another goroutine reads from the front: put and drop and what
// they look at are guarded by the Conn's mu, the bytes are not.
type buffer struct {
	head, tail *block
	n          int // bytes of unread data
}

// room returns memory for a message of up to n bytes, behind the data.
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

// put says that the first n bytes of the room are data now.
func (b *buffer) put(n int) {
	b.tail.w += n
	b.n += n
}

// front returns the first data; nil if there is none.
func (b *buffer) front() []byte {
	for b.head != b.tail && b.head.r == b.head.w {
		b.pop()
	}
	if b.n == 0 {
		return nil
	}
	return b.head.mem[b.head.r:b.head.w]
}

// drop says that the first n bytes of the front have been read.
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

// free gives all blocks back.
func (b *buffer) free() {
	for b.head != nil {
		b.pop()
	}
	*b = buffer{}
}
