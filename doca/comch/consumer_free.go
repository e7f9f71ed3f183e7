package comch

import "github.com/go-doca/go-doca/generated/abi"

// postQueue is a first-in first-out queue of posts. It is in C memory, so that those that lie one behind another can be submitted
// as they are.
type postQueue struct {
	list []*abi.Post
	head int
	n    int
}

// alloc makes a queue with room for n posts.
func (r *postQueue) alloc(n int) (err error) {
	r.list, err = abi.Alloc[*abi.Post](n)
	return err
}

// release empties the queue and frees its memory.
func (r *postQueue) release() {
	abi.Free(r.list)
	*r = postQueue{}
}

func (r *postQueue) len() int { return r.n }

// at returns the post k places behind the first.
func (r *postQueue) at(k int) *abi.Post { return r.list[r.place(k)] }

// from returns posts that lie one behind another, from the one k places behind the first on.
func (r *postQueue) from(k int) []*abi.Post {
	at := r.place(k)
	return r.list[at:min(at+r.n-k, len(r.list))]
}

// room returns free places that lie one behind another, from the one behind the last post on: for grow.
func (r *postQueue) room() []*abi.Post {
	at := r.place(r.n)
	return r.list[at:min(at+len(r.list)-r.n, len(r.list))]
}

// grow adds the posts in the first k places of room.
func (r *postQueue) grow(k int) { r.n += k }

// push adds a post.
func (r *postQueue) push(p *abi.Post) {
	r.list[r.place(r.n)] = p
	r.n++
}

// drop removes the first k posts.
func (r *postQueue) drop(k int) {
	r.head = r.place(k)
	r.n -= k
}

// place returns where the post k places behind the first is.
func (r *postQueue) place(k int) int {
	if k += r.head; k >= len(r.list) {
		k -= len(r.list)
	}
	return k
}
