package comch_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

// dataWalk takes random steps with the producers and consumers of a connection, and knows by the rules how each must end.
type dataWalk struct {
	t       *testing.T
	r       *rand.Rand
	ends    [2]*walkEnd
	engines []*doca.ProgressEngine // those of the program, which several objects share
	futures []*walkFuture          // that have not ended
	trace   []string
	number  int  // of the next message
	gone    bool // a consumer has stopped with messages on their way
	slow    bool // faults may keep a producer from sending at once
}

// walkEnd is one end of the connection, with memory for what it sends and receives.
type walkEnd struct {
	conn      *comch.Conn
	mem       *doca.Memory
	shadow    []byte // the memory as it must be
	inv       *doca.Inventory
	bufs      []*walkBuffer
	producers []*walkProducer
	consumers []*walkConsumer
	other     *walkEnd
}

// walkBuffer is a buffer of the program, or one of a consumer's own, which has no end.
type walkBuffer struct {
	*doca.Buffer
	end      *walkEnd
	slot     int // where its part of the memory begins
	off, len int // its region, in the memory
	at, n    int // its data segment, in the region
	posted   bool
	reads    int // of futures
	own      *walkConsumer
	known    bool // whether Recv has returned it
}

type walkProducer struct {
	*comch.Producer
	end *walkEnd
}

type walkConsumer struct {
	*comch.Consumer
	end   *walkEnd
	posts []*walkBuffer // that Recv has not returned; nil for one without a buffer
	sent  []*walkMessage
	held  []*walkBuffer // its own, that the program has
	all   int           // how many it has of its own
}

type walkMessage struct {
	from      *walkProducer
	to        *walkConsumer
	buf       *walkBuffer
	data, imm []byte
	f         *walkFuture // nil if the message is known to be there
	loose     bool        // others that were sent later may be before it
}

// walkFuture is what was started and is not known to have ended.
type walkFuture struct {
	f    *comch.Future
	left int // messages that have not been received
	msgs []*walkMessage
}

const (
	walkSteps   = 600
	walkBuffers = 12
	walkSlot    = 96
	walkMost    = 64 // bytes of data
)

func newDataWalk(t *testing.T, seed uint64) *dataWalk {
	w := &dataWalk{t: t, r: rand.New(rand.NewPCG(seed, 7))}
	for range 2 {
		w.engines = append(w.engines, must(doca.NewProgressEngine(doca.EngineConfig{}))(t))
	}
	a, b := newPair(t, comch.Config{})
	for i, c := range []*comch.Conn{a, b} {
		e := &walkEnd{conn: c, mem: memory(t, c, walkBuffers*walkSlot), inv: must(doca.NewInventory(2 * walkBuffers))(t)}
		for k := range e.mem.Bytes() {
			e.mem.Bytes()[k] = byte(w.r.Uint32())
		}
		e.shadow = bytes.Clone(e.mem.Bytes())
		for k := range walkBuffers {
			wb := &walkBuffer{end: e, slot: k * walkSlot, len: walkMost}
			wb.off = wb.slot + w.r.IntN(walkSlot-walkMost)
			wb.Buffer = must(e.inv.Buffer(e.mem, wb.off, wb.len))(t)
			e.bufs = append(e.bufs, wb)
		}
		w.ends[i] = e
	}
	for i, e := range w.ends {
		e.other = w.ends[1-i]
	}
	for _, e := range w.ends {
		for range 1 + w.r.IntN(2) {
			w.newProducer(e)
			w.known(w.newConsumer(e))
		}
	}
	return w
}

// engine picks an engine for an object of a connection, or none.
func (w *dataWalk) engine(c *comch.Conn) *doca.ProgressEngine {
	switch k := w.r.IntN(2 + len(w.engines)); k {
	case 0:
		return nil
	case 1:
		return c.Engine()
	default:
		return w.engines[k-2]
	}
}

func (w *dataWalk) newProducer(e *walkEnd) *walkProducer {
	cfg := comch.ProducerConfig{Engine: w.engine(e.conn), MaxTasks: 1 + w.r.IntN(9), BufferSize: walkMost, Buffers: 1}
	p := &walkProducer{Producer: must(e.conn.NewProducer(cfg))(w.t), end: e}
	e.producers = append(e.producers, p)
	return p
}

func (w *dataWalk) newConsumer(e *walkEnd) *walkConsumer {
	c := &walkConsumer{end: e}
	cfg := comch.ConsumerConfig{Engine: w.engine(e.conn), MaxTasks: 1 + w.r.IntN(9)}
	mem := e.mem
	if w.r.IntN(3) == 0 {
		c.all = 1 + w.r.IntN(cfg.MaxTasks)
		mem, cfg.BufferSize, cfg.Buffers = nil, walkMost, c.all
	}
	c.Consumer = must(e.conn.NewConsumer(mem, cfg))(w.t)
	w.ownPosts(c, c.all)
	e.consumers = append(e.consumers, c)
	w.say("new consumer %d of %d posts, %d of its own", c.ID(), c.MaxTasks(), c.all)
	return c
}

// known waits until the other end has heard of a consumer.
func (w *dataWalk) known(c *walkConsumer) {
	w.drive("the news of a consumer", func() bool { return slices.Contains(c.end.other.conn.Consumers(), c.ID()) })
}

// ownPosts is what a start posts of the consumer's own buffers.
func (w *dataWalk) ownPosts(c *walkConsumer, n int) {
	for range n {
		c.posts = append(c.posts, &walkBuffer{own: c, len: walkMost, posted: true})
	}
}

func (w *dataWalk) say(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

// drive drives all engines until done says so.
func (w *dataWalk) drive(what string, done func() bool) {
	w.t.Helper()
	for begin := time.Now(); !done(); {
		require.Less(w.t, time.Since(begin), 20*time.Second, what)
		seen := append([]*doca.ProgressEngine{w.ends[0].conn.Engine(), w.ends[1].conn.Engine()}, w.engines...)
		for _, e := range w.ends {
			for _, p := range e.producers {
				seen = append(seen, p.Engine())
			}
			for _, c := range e.consumers {
				seen = append(seen, c.Engine())
			}
		}
		for i, pe := range seen {
			if pe != nil && !slices.Contains(seen[:i], pe) {
				if _, err := pe.Progress(); err != nil {
					require.ErrorIs(w.t, err, doca.ErrClosed)
				}
			}
		}
	}
}

// pending returns the messages to a consumer that may not be there yet.
func (c *walkConsumer) pending() (msgs []*walkMessage) {
	for _, m := range c.sent {
		if m.f != nil {
			msgs = append(msgs, m)
		}
	}
	return msgs
}

// room is how many messages can be sent without a wait.
func (c *walkConsumer) room() int { return len(c.posts) - len(c.sent) }

// fits reports whether a message with n bytes of data fits the post that it gets. It is known unless others are on their way.
func (c *walkConsumer) fits(n, ahead int) bool {
	b := c.posts[len(c.sent)+ahead]
	return n == 0 || b != nil && n <= b.len
}

// large reports whether all posts have room for any message.
func (c *walkConsumer) large() bool {
	return !slices.ContainsFunc(c.posts, func(b *walkBuffer) bool { return b == nil || b.len < walkMost })
}

// needsLarge reports whether messages with data are on their way, in an unknown order.
func (c *walkConsumer) needsLarge() bool {
	return slices.ContainsFunc(c.pending(), func(m *walkMessage) bool { return len(m.data) > 0 })
}

// message makes a message that a producer can send. Its data are none if large posts are needed and not there.
func (w *dataWalk) message(p *walkProducer, c *walkConsumer) *walkMessage {
	m := &walkMessage{from: p, to: c}
	w.number++
	if n := w.r.IntN(33); n > 0 && w.r.IntN(4) > 0 {
		m.imm = make([]byte, n)
		for i := range m.imm {
			m.imm[i] = byte(w.r.Uint32())
		}
		copy(m.imm, fmt.Sprint(w.number))
	}
	if b := p.end.bufs[w.r.IntN(walkBuffers)]; !b.posted && w.r.IntN(5) > 0 {
		if m.buf = b; b.reads == 0 && w.r.IntN(2) == 0 {
			w.fill(b)
		}
		m.data = bytes.Clone(p.end.shadow[b.off+b.at:][:b.n])
	}
	return m
}

// fill writes other data to a buffer that is the program's, and sometimes sets another segment.
func (w *dataWalk) fill(b *walkBuffer) {
	if w.r.IntN(2) == 0 {
		b.at = w.r.IntN(b.len + 1)
		b.n = w.r.IntN(b.len - b.at + 1)
		require.NoError(w.t, b.SetData(b.at, b.n))
	}
	require.Equal(w.t, b.n, len(b.Data()))
	for i := range b.Data() {
		b.Data()[i] = byte(w.r.Uint32())
	}
	copy(b.Data(), fmt.Sprint("=", w.number))
	copy(b.end.shadow[b.off+b.at:], b.Data())
}

func (m *walkMessage) doca() comch.Message {
	msg := comch.Message{Imm: m.imm, Consumer: m.to.ID()}
	if m.buf != nil {
		msg.Buffer = m.buf.Buffer
	}
	return msg
}

// received checks a message against those that were sent, and takes it out.
func (w *dataWalk) received(c *walkConsumer, r *comch.Received) *walkBuffer {
	w.t.Helper()
	require.NotEmpty(w.t, c.posts, "a message without a post")
	b := c.posts[0]
	c.posts = c.posts[1:]
	i := slices.IndexFunc(c.sent, func(m *walkMessage) bool { return m.from.ID() == r.ProducerID })
	require.GreaterOrEqual(w.t, i, 0, "a message of producer %d that has sent none: %q %q", r.ProducerID, r.Data, r.Imm)
	m := c.sent[i]
	for _, before := range c.sent[:i] {
		require.True(w.t, before.loose, "a message of producer %d is behind one of %d", before.from.ID(), r.ProducerID)
	}
	c.sent = slices.Delete(c.sent, i, i+1)
	require.Equal(w.t, string(m.imm), string(r.Imm))
	require.Equal(w.t, string(m.data), string(r.Data))
	if m.f != nil {
		m.f.left--
	}
	if b == nil {
		require.Nil(w.t, r.Buffer)
		return nil
	}
	require.NotNil(w.t, r.Buffer)
	if b.own != nil && !b.known {
		b.Buffer, b.known = r.Buffer, true
	}
	require.Same(w.t, b.Buffer, r.Buffer)
	b.posted, b.at, b.n = false, 0, len(m.data)
	require.Equal(w.t, string(m.data), string(b.Data()))
	require.Equal(w.t, len(m.data), b.DataLen())
	if b.own != nil {
		c.held = append(c.held, b)
		return b
	}
	copy(c.end.shadow[b.off:], m.data)
	return b
}

// ended takes a future that has ended out.
func (w *dataWalk) ended(f *walkFuture) {
	for _, m := range f.msgs {
		if m.f = nil; m.buf != nil {
			m.buf.reads--
		}
	}
	w.futures = slices.DeleteFunc(w.futures, func(g *walkFuture) bool { return f == g })
}

// verify checks what must be true between steps.
func (w *dataWalk) verify() {
	w.t.Helper()
	for _, f := range slices.Clone(w.futures) {
		if f.left == 0 {
			w.drive("the end of a future whose messages were received", f.f.Ended)
		}
		if f.f.Ended() {
			require.NoError(w.t, f.f.Err())
			for _, m := range f.msgs { // there is a post for each
				require.LessOrEqual(w.t, len(m.to.sent)-len(m.to.pending()), len(m.to.posts))
			}
			w.ended(f)
		} else if err := f.f.Err(); err != nil { // it may end meanwhile
			require.ErrorIs(w.t, err, doca.ErrInProgress)
		}
	}
	for _, e := range w.ends {
		for _, c := range e.consumers {
			require.LessOrEqual(w.t, len(c.sent)-len(c.pending()), len(c.posts), "messages that are there have a post")
		}
		for i, b := range e.bufs {
			if !b.posted {
				part := func(bytes []byte) []byte { return bytes[b.slot:][:walkSlot] }
				require.True(w.t, bytes.Equal(part(e.shadow), part(e.mem.Bytes())), "memory of buffer %d", i)
				require.Equal(w.t, b.n, b.DataLen(), "buffer %d", i)
			}
		}
	}
}

// step takes one step.
func (w *dataWalk) step() {
	total := 0
	for _, s := range dataSteps {
		total += s.weight
	}
	pick := w.r.IntN(total)
	for _, s := range dataSteps {
		if pick -= s.weight; pick >= 0 {
			continue
		}
		e := w.ends[w.r.IntN(2)]
		p := e.producers[w.r.IntN(len(e.producers))]
		c := e.other.consumers[w.r.IntN(len(e.other.consumers))]
		w.say("%s, producer %d, consumer %d with %d posts and %d messages", s.name, p.ID(), c.ID(), len(c.posts), len(c.sent))
		s.do(w, p, c)
		w.verify()
		return
	}
}

// close closes everything in some order, with messages on their way.
func (w *dataWalk) close() {
	var all []interface{ Close() error }
	for _, e := range w.ends {
		all = append(all, e.conn, e.mem, e.inv)
		for _, b := range e.bufs {
			all = append(all, b.Buffer)
		}
		for _, p := range e.producers {
			all = append(all, p)
		}
		for _, c := range e.consumers {
			all = append(all, c)
		}
	}
	for _, pe := range w.engines {
		all = append(all, pe)
	}
	w.r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	slices.SortStableFunc(all, func(a, b interface{ Close() error }) int { // those wait until no message uses them
		rank := func(x any) int {
			switch x.(type) {
			case *doca.Buffer, *doca.Inventory, *doca.Memory:
				return 1
			}
			return 0
		}
		return rank(a) - rank(b)
	})
	for _, o := range all {
		require.NoError(w.t, o.Close(), "%v", o)
	}
	for _, f := range w.futures {
		require.True(w.t, f.f.Ended(), "a future of a closed producer")
	}
}

// walks runs walk with some seeds: the first ones, or DOCA_COMCH_SEEDS others, or the one of DOCA_COMCH_SEED.
func walks(t *testing.T, n int, walk func(t *testing.T, seed uint64)) {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	if more, _ := strconv.Atoi(os.Getenv("DOCA_COMCH_SEEDS")); more > 0 {
		seeds = make([]uint64, more)
		for i := range seeds {
			seeds[i] = rand.Uint64()
		}
	}
	if one, _ := strconv.ParseUint(os.Getenv("DOCA_COMCH_SEED"), 10, 64); one > 0 {
		seeds = []uint64{one}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { walk(t, seed) })
	}
}

func walkData(t *testing.T, seed uint64, slow bool) {
	w := newDataWalk(t, seed)
	w.slow = slow
	defer func() {
		if t.Failed() {
			for _, pe := range w.engines {
				_ = pe.Close()
			}
			t.Logf("the last steps of seed %d:", seed)
			for _, s := range w.trace[max(0, len(w.trace)-30):] {
				t.Log(s)
			}
		}
	}()
	for range walkSteps {
		w.step()
	}
	w.close()
}

func TestDataWalk(t *testing.T) {
	t.Parallel()
	walks(t, 6, func(t *testing.T, seed uint64) { walkData(t, seed, false) })
}

// TestDataWalkFaults: the same on a device that takes its time, and refuses some submissions for now.
func TestDataWalkFaults(t *testing.T) {
	refusals := ""
	for n := 3; n < 400; n += 9 {
		refusals += fmt.Sprintf(",refuse-task=send:%d", n)
	}
	for name, spec := range map[string]string{"refusals": refusals[1:], "delay": "delay=20us,rate=2e5" + refusals} {
		t.Run(name, func(t *testing.T) {
			doctest.Faults(t, spec)
			defer emulator.ClearFaults()
			walks(t, 1, func(t *testing.T, seed uint64) { walkData(t, seed, true) })
		})
	}
}
