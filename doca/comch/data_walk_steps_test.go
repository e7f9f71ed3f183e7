package comch_test

import (
	"context"
	"errors"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// dataSteps are what a dataWalk can do: p is on one end, c on the other.
var dataSteps = []struct {
	name   string
	weight int
	do     func(w *dataWalk, p *walkProducer, c *walkConsumer)
}{
	{"post", 12, func(w *dataWalk, _ *walkProducer, c *walkConsumer) { w.post(c, 1, false) }},
	{"post batch", 8, func(w *dataWalk, _ *walkProducer, c *walkConsumer) { w.post(c, 1+w.r.IntN(8), true) }},
	{"send", 14, (*dataWalk).send},
	{"send batch", 8, (*dataWalk).sendBatch},
	{"same batch", 6, (*dataWalk).sameBatch},
	{"start batch", 6, (*dataWalk).startBatch},
	{"send async", 4, (*dataWalk).sendAsync},
	{"receive", 24, (*dataWalk).receive},
	{"loop", 4, (*dataWalk).loop},
	{"wrong", 6, (*dataWalk).wrong},
	{"buffer", 6, (*dataWalk).buffer},
	{"stop", 1, (*dataWalk).stopProducer},
	{"stop consumer", 1, (*dataWalk).stopConsumer},
}

// post posts up to n buffers, one at a time or by the batch.
func (w *dataWalk) post(c *walkConsumer, n int, batch bool) {
	var bufs []*doca.Buffer
	var of []*walkBuffer
	small := !c.needsLarge()
	for range n {
		b := c.end.bufs[w.r.IntN(walkBuffers)]
		if c.all > 0 && len(c.held) > 0 {
			b = c.held[w.r.IntN(len(c.held))]
		}
		if c.all > 0 && len(c.held) == 0 || small && w.r.IntN(4) == 0 {
			b = nil
		}
		if b != nil && (slices.Contains(of, b) || b.posted || b.reads > 0 || !small && b.len < walkMost) || b == nil && !small {
			continue
		}
		if of = append(of, b); b == nil {
			bufs = append(bufs, nil)
		} else {
			bufs = append(bufs, b.Buffer)
		}
	}
	if len(bufs) == 0 {
		return
	}
	want := min(len(bufs), c.MaxTasks()-len(c.posts))
	got, err := 0, error(nil)
	if batch {
		got, err = c.PostBatch(bufs)
	} else if err = c.Post(bufs[0]); err == nil {
		got = 1
	}
	require.Equal(w.t, want, got, "posted: %v", err)
	if want < len(bufs) {
		wantErr(w.t, err, doca.ErrFull)
	} else {
		require.NoError(w.t, err)
	}
	for _, b := range of[:got] {
		if c.posts = append(c.posts, b); b == nil {
			continue
		}
		b.posted = true
		if b.own != nil {
			c.held = slices.DeleteFunc(c.held, func(o *walkBuffer) bool { return o == b })
		}
	}
	for _, b := range of[:got] {
		if b != nil && len(c.posts) < c.MaxTasks() {
			wantErr(w.t, c.Post(b.Buffer), doca.ErrInUse)
		}
	}
}

// sendable returns a message that a consumer has room for, whichever post it gets, and whether it is known to fit.
func (w *dataWalk) sendable(p *walkProducer, c *walkConsumer) (*walkMessage, bool) {
	m := w.message(p, c)
	if len(c.pending()) == 0 {
		return m, c.room() <= 0 || c.fits(len(m.data), 0)
	}
	if len(m.data) > 0 && !c.large() {
		m.buf, m.data = nil, nil
	}
	return m, true
}

// busy reports whether a producer has messages on their way.
func (w *dataWalk) busy(p *walkProducer) bool {
	return slices.ContainsFunc(w.futures, func(f *walkFuture) bool { return f.msgs[0].from == p })
}

// send sends one message by one of the ways.
func (w *dataWalk) send(p *walkProducer, c *walkConsumer) {
	m, fits := w.sendable(p, c)
	msg := m.doca()
	if c.room() <= 0 {
		wantErr(w.t, p.Send(canceled(w.t), msg.Buffer, m.imm, c.ID()), context.Canceled)
		err := p.TrySend(long(w.t), msg.Buffer, m.imm, c.ID())
		w.free(m)
		if err == nil && len(c.sent)-len(c.pending()) < len(c.posts) {
			c.sent = append(c.sent, m) // those that wait have not been driven
		} else {
			wantErr(w.t, err, doca.ErrAgain)
		}
		return
	}
	var err error
	switch k := w.r.IntN(4); {
	case k == 0 && m.data != nil: // the producer's own buffer
		m.buf = nil
		err = p.SendBytes(long(w.t), m.data, m.imm, c.ID())
	case k == 1 && !w.busy(p) && !w.slow:
		err = p.TrySend(long(w.t), msg.Buffer, m.imm, c.ID())
	case k == 2:
		n := 0
		n, err = p.SendBatch(long(w.t), []comch.Message{msg})
		require.Equal(w.t, err == nil, n == 1)
	case w.r.IntN(4) == 0: // it may be sent before the end of the context is seen
		err = p.Send(canceled(w.t), msg.Buffer, m.imm, c.ID())
		wantErr(w.t, err, context.Canceled)
		w.free(m)
		return
	default:
		err = p.Send(long(w.t), msg.Buffer, m.imm, c.ID())
	}
	if !fits {
		wantErr(w.t, err, doca.ErrInvalidValue)
		w.free(m)
		return
	}
	require.NoError(w.t, err)
	w.free(m)
	c.sent = append(c.sent, m)
}

// free checks that a message's buffer is the program's.
func (w *dataWalk) free(m *walkMessage) {
	w.t.Helper()
	if m.buf != nil && m.buf.reads == 0 {
		require.NoError(w.t, m.buf.SetData(m.buf.at, m.buf.n))
	}
}

// batch makes messages to consumers that have room for them.
func (w *dataWalk) batch(p *walkProducer, n int) (msgs []*walkMessage) {
	ahead := map[*walkConsumer]int{}
	for range n {
		c := p.end.other.consumers[w.r.IntN(len(p.end.other.consumers))]
		if c.room() <= ahead[c] {
			continue
		}
		m := w.message(p, c)
		if known := len(c.pending()) == 0; known && !c.fits(len(m.data), ahead[c]) || !known && len(m.data) > 0 && !c.large() {
			m.buf, m.data = nil, nil
		}
		ahead[c]++
		msgs = append(msgs, m)
	}
	for _, m := range msgs { // a later message may have filled it again
		if m.buf != nil {
			m.data = bytesOf(m.buf)
			if len(m.data) > 0 && !m.to.large() {
				m.buf, m.data = nil, nil
			}
		}
	}
	return msgs
}

func bytesOf(b *walkBuffer) []byte { return slices.Clone(b.end.shadow[b.off+b.at:][:b.n]) }

func asMessages(msgs []*walkMessage) (out []comch.Message) {
	for _, m := range msgs {
		out = append(out, m.doca())
	}
	return out
}

func (w *dataWalk) sendBatch(p *walkProducer, c *walkConsumer) {
	msgs := w.batch(p, w.r.IntN(20))
	out := asMessages(msgs)
	bad, want := w.r.IntN(6), error(nil)
	switch {
	case bad == 0:
		out, want = append(out, comch.Message{Imm: make([]byte, 33), Consumer: c.ID()}), doca.ErrInvalidValue
	case bad == 1:
		if i := slices.IndexFunc(p.end.bufs, func(b *walkBuffer) bool { return b.posted }); i >= 0 {
			out, want = append(out, comch.Message{Buffer: p.end.bufs[i].Buffer, Consumer: c.ID()}), doca.ErrInUse
		}
	case bad == 2 && c.room() <= 0:
		n, err := p.SendBatch(canceled(w.t), []comch.Message{{Consumer: c.ID()}})
		require.Zero(w.t, n)
		wantErr(w.t, err, context.Canceled)
	}
	n, err := p.SendBatch(long(w.t), out)
	require.ErrorIs(w.t, err, want)
	if want == nil {
		require.Equal(w.t, len(msgs), n)
	}
	for _, m := range msgs[:n] {
		w.free(m)
		m.to.sent = append(m.to.sent, m)
	}
}

// sameBatch sends the same messages again and again, as programs that are to be fast do. Between, the data change.
func (w *dataWalk) sameBatch(p *walkProducer, c *walkConsumer) {
	msgs := w.batch(p, 1+w.r.IntN(4))
	out := asMessages(msgs)
	for range 1 + w.r.IntN(5) {
		need := map[*walkConsumer]int{}
		for _, m := range msgs {
			need[m.to]++
		}
		for c, n := range need {
			if c.room() < n || !c.large() {
				return
			}
		}
		for i, m := range msgs {
			if m.buf == nil || m.buf.reads > 0 || m.buf.posted {
				continue
			}
			if w.r.IntN(3) == 0 {
				w.fill(m.buf)
			}
			if w.r.IntN(6) == 0 {
				w.reset(m.buf)
			}
			if w.r.IntN(8) == 0 && len(m.imm) > 0 {
				m.imm = slices.Clone(m.imm[:w.r.IntN(len(m.imm))])
				out[i].Imm = m.imm
			}
			out[i].Buffer = m.buf.Buffer
		}
		for _, m := range msgs {
			if m.buf != nil {
				if m.buf.posted {
					return
				}
				m.data = bytesOf(m.buf)
			}
		}
		n, err := p.SendBatch(long(w.t), out)
		require.NoError(w.t, err)
		require.Equal(w.t, len(out), n)
		for _, m := range msgs {
			again := *m
			m.to.sent = append(m.to.sent, &again)
		}
		for c := range need {
			if w.r.IntN(2) == 0 {
				w.receive(nil, c)
				w.post(c, 4, true)
			}
		}
	}
}

// startBatch starts messages, for some of which there may be no room.
func (w *dataWalk) startBatch(p *walkProducer, c *walkConsumer) {
	f := &walkFuture{f: new(comch.Future)}
	for range 1 + w.r.IntN(10) {
		m := w.message(p, c)
		f.msgs = append(f.msgs, m)
	}
	if len(c.sent)+len(f.msgs) > len(c.posts)+12 {
		return
	}
	for _, m := range f.msgs {
		if m.buf != nil {
			m.data = bytesOf(m.buf)
		}
		if len(m.data) > 0 && !c.large() {
			m.buf, m.data = nil, nil
		}
	}
	require.NoError(w.t, p.StartBatch(asMessages(f.msgs), f.f))
	w.started(f)
	if len(c.sent)-len(c.pending())+len(f.msgs) > len(c.posts) { // else they may have overtaken those that wait and have not been driven
		wantErr(w.t, p.StartBatch(asMessages(f.msgs), f.f), doca.ErrInUse)
	}
}

func (w *dataWalk) started(f *walkFuture) {
	f.left = len(f.msgs)
	w.futures = append(w.futures, f)
	for _, m := range f.msgs {
		if m.f, m.loose = f, true; m.buf != nil {
			m.buf.reads++
		}
		m.to.sent = append(m.to.sent, m)
	}
}

func (w *dataWalk) sendAsync(p *walkProducer, c *walkConsumer) {
	m, fits := w.sendable(p, c)
	if c.room() <= 0 {
		_, err := p.SendAsync(canceled(w.t), m.doca().Buffer, m.imm, c.ID())
		wantErr(w.t, err, context.Canceled)
		return
	}
	f, err := p.SendAsync(long(w.t), m.doca().Buffer, m.imm, c.ID())
	if err == nil && !fits {
		err = f.Wait(long(w.t))
	}
	if !fits {
		wantErr(w.t, err, doca.ErrInvalidValue)
		return
	}
	require.NoError(w.t, err)
	w.started(&walkFuture{f: f, msgs: []*walkMessage{m}})
	if w.r.IntN(2) == 0 {
		require.NoError(w.t, f.Wait(long(w.t)))
	}
}

// receive receives by one of the ways.
//
//doca:ignore kept it is compared, and copied to the shadow
func (w *dataWalk) receive(_ *walkProducer, c *walkConsumer) {
	ready := min(len(c.posts), len(c.sent))
	if ready == 0 {
		_, err := c.Recv(canceled(w.t))
		wantErr(w.t, err, context.Canceled)
		n, err := c.TryRecvBatch(make([]comch.Received, 2))
		require.NoError(w.t, err)
		require.Zero(w.t, n)
		return
	}
	out := make([]comch.Received, 1+w.r.IntN(8))
	for i := range out {
		out[i].Imm = make([]byte, 0, w.r.IntN(40))
	}
	n, err := 0, error(nil)
	kind := w.r.IntN(5)
	if len(c.pending()) > 0 {
		kind = 0 // the messages may wait for engines that this call does not drive
	}
	switch kind {
	case 0:
		w.drive("a message", func() bool {
			n, err = c.TryRecvBatch(out)
			require.NoError(w.t, err)
			return n > 0
		})
	case 1:
		out[0], err = c.Recv(long(w.t))
		n = 1
	case 2:
		n, err = c.RecvBatch(canceled(w.t), out)
		if errors.Is(err, context.Canceled) {
			require.Zero(w.t, n)
			return
		}
	default:
		n, err = c.RecvBatch(long(w.t), out)
	}
	require.NoError(w.t, err)
	require.LessOrEqual(w.t, n, ready)
	var again []*doca.Buffer
	var of []*walkBuffer
	for i := range out[:n] {
		b := w.received(c, &out[i])
		if b != nil {
			of, again = append(of, b), append(again, b.Buffer)
		}
	}
	if len(again) > 0 && w.r.IntN(2) == 0 && !slices.ContainsFunc(of, func(b *walkBuffer) bool { return b.len < walkMost }) {
		require.Equal(w.t, len(again), must(c.PostBatch(again))(w.t)) // as a loop of RecvBatch and PostBatch does
		for _, b := range of {
			b.posted = true
			c.posts = append(c.posts, b)
			c.held = slices.DeleteFunc(c.held, func(o *walkBuffer) bool { return o == b })
		}
	}
}

// loop receives by Messages, which posts again.
//
//doca:ignore kept it is compared, and copied to the shadow
func (w *dataWalk) loop(_ *walkProducer, c *walkConsumer) {
	n := min(len(c.posts), len(c.sent))
	if n == 0 || len(c.pending()) > 0 {
		return
	}
	n = 1 + w.r.IntN(n)
	var posted []*walkBuffer
	for r, err := range c.Messages(long(w.t)) {
		require.NoError(w.t, err)
		b := w.received(c, &r)
		if b != nil {
			b.posted = true
			c.held = slices.DeleteFunc(c.held, func(o *walkBuffer) bool { return o == b })
		}
		posted = append(posted, b)
		if len(posted) == n {
			break
		}
	}
	c.posts = append(c.posts, posted...)
}

// wrong makes mistakes.
func (w *dataWalk) wrong(p *walkProducer, c *walkConsumer) {
	wantErr(w.t, p.Send(long(w.t), nil, make([]byte, 33), c.ID()), doca.ErrInvalidValue)
	wantErr(w.t, p.SendBytes(long(w.t), make([]byte, walkMost+1), nil, c.ID()), doca.ErrTooBig)
	wantErr(w.t, p.StartBatch(nil, new(comch.Future)), doca.ErrInvalidValue)
	n, err := c.RecvBatch(long(w.t), nil)
	require.NoError(w.t, err)
	require.Zero(w.t, n)
	for _, b := range p.end.bufs {
		if b.posted {
			wantErr(w.t, p.Send(long(w.t), b.Buffer, nil, c.ID()), doca.ErrInUse)
			_, err = p.SendAsync(long(w.t), b.Buffer, nil, c.ID())
			wantErr(w.t, err, doca.ErrInUse)
			wantErr(w.t, p.StartBatch([]comch.Message{{Buffer: b.Buffer, Consumer: c.ID()}}, new(comch.Future)), doca.ErrInUse)
		}
		if b.posted || b.reads > 0 && w.waits(b) {
			wantErr(w.t, b.SetData(0, 1), doca.ErrInUse)
			wantErr(w.t, b.Reset(b.off, b.len), doca.ErrInUse)
			if c := p.end.consumers[0]; c.all == 0 && len(c.posts) < c.MaxTasks() {
				wantErr(w.t, c.Post(b.Buffer), doca.ErrInUse)
			}
		}
	}
}

// waits reports whether a buffer's message cannot be there: the consumer has too few posts.
func (w *dataWalk) waits(b *walkBuffer) bool {
	for _, f := range w.futures {
		last := f.msgs[len(f.msgs)-1]
		if last.buf != b || last.to.room() >= 0 {
			continue
		}
		if i := slices.Index(last.to.sent, last); i == len(last.to.sent)-1 && !slices.ContainsFunc(last.to.pending(), func(m *walkMessage) bool { return m.from != last.from }) {
			return true
		}
	}
	return false
}

// buffer changes a buffer that is the program's: its region, or the buffer itself.
func (w *dataWalk) buffer(p *walkProducer, _ *walkConsumer) {
	b := p.end.bufs[w.r.IntN(walkBuffers)]
	if b.posted || b.reads > 0 {
		return
	}
	switch w.r.IntN(3) {
	case 0:
		w.fill(b)
	case 1:
		w.reset(b)
	default:
		require.NoError(w.t, b.Close())
		wantErr(w.t, p.Send(long(w.t), b.Buffer, nil, 1), doca.ErrClosed)
		b.Buffer = must(p.end.inv.Buffer(p.end.mem, b.off, b.len))(w.t)
		b.at, b.n = 0, 0
	}
}

// reset aims a buffer at another region.
func (w *dataWalk) reset(b *walkBuffer) {
	b.len = walkMost
	if w.r.IntN(3) == 0 {
		b.len = 1 + w.r.IntN(walkMost)
	}
	b.off = b.slot + w.r.IntN(walkSlot-b.len+1)
	require.NoError(w.t, b.Reset(b.off, b.len))
	b.at, b.n = 0, b.len
}

// stopProducer stops a producer, also with messages that wait, and starts it again or makes another one.
func (w *dataWalk) stopProducer(p *walkProducer, _ *walkConsumer) {
	for _, f := range w.futures { // of messages that wait here, it must be known which were sent
		if f.msgs[0].from == p && f.msgs[0].to.room() < 0 && slices.ContainsFunc(f.msgs[0].to.pending(), func(m *walkMessage) bool { return m.from != p }) {
			return
		}
	}
	again := w.r.IntN(2) == 0
	if again {
		require.NoError(w.t, p.Stop(long(w.t)))
		wantErr(w.t, p.Send(long(w.t), nil, nil, 1), doca.ErrBadState)
	} else {
		require.NoError(w.t, p.Close())
		wantErr(w.t, p.StartBatch([]comch.Message{{}}, new(comch.Future)), doca.ErrClosed)
	}
	for _, f := range slices.Clone(w.futures) {
		if f.msgs[0].from == p {
			require.True(w.t, f.f.Ended(), "a future of a stopped producer")
			w.settle(f)
		}
	}
	if again {
		require.NoError(w.t, p.Start(long(w.t)))
		return
	}
	for _, c := range p.end.other.consumers { // a new producer may have the same number
		for slices.ContainsFunc(c.sent, func(m *walkMessage) bool { return m.from == p }) {
			w.receive(nil, c)
		}
	}
	p.end.producers = slices.DeleteFunc(p.end.producers, func(o *walkProducer) bool { return o == p })
	w.newProducer(p.end)
}

// settle finds out which messages of a future were sent before its producer stopped.
func (w *dataWalk) settle(f *walkFuture) {
	c := f.msgs[0].to
	left := f.left
	failed := f.f.Err() != nil
	mark := w.newProducer(c.end.other)
	m := &walkMessage{from: mark, to: c, imm: []byte("mark")}
	var gone []*walkMessage
	for _, o := range c.sent {
		if o.f == f {
			gone = append(gone, o)
		}
	}
	out := make([]comch.Received, 1)
	for sent, seen := false, false; !seen; {
		if !sent {
			if len(c.posts) < c.MaxTasks() {
				require.NoError(w.t, c.Post(nil))
				c.posts = append(c.posts, nil)
			}
			err := mark.TrySend(long(w.t), nil, m.imm, c.ID())
			if sent = err == nil; sent {
				c.sent = append(c.sent, m)
			} else {
				wantErr(w.t, err, doca.ErrAgain)
			}
		}
		n, tries := 0, 0
		w.drive("a message before the mark", func() (done bool) {
			var err error
			n, err = c.TryRecvBatch(out)
			require.NoError(w.t, err)
			tries++
			return n > 0 || !sent && tries > 10
		})
		if n == 0 { // there is room, but a fault has refused the mark
			require.True(w.t, w.slow)
			continue
		}
		seen = string(out[0].Imm) == "mark" && out[0].ProducerID == mark.ID()
		w.received(c, &out[0])
	}
	require.NoError(w.t, mark.Close())
	c.end.other.producers = slices.DeleteFunc(c.end.other.producers, func(o *walkProducer) bool { return o == mark })
	require.Equal(w.t, failed, f.left > 0, "%d of %d messages of a future were not received: %v", f.left, left, f.f.Err())
	for _, m := range gone {
		c.sent = slices.DeleteFunc(c.sent, func(o *walkMessage) bool { return o == m })
	}
	w.ended(f)
}

// stopConsumer stops a consumer, and starts it again or makes another one.
func (w *dataWalk) stopConsumer(_ *walkProducer, c *walkConsumer) {
	if len(c.pending()) > 0 {
		if w.gone { // it takes a second to find out that a message's consumer has gone
			return
		}
		w.gone = true
	}
	again := w.r.IntN(2) == 0
	if again {
		require.NoError(w.t, c.Stop(long(w.t)))
	} else {
		require.NoError(w.t, c.Close())
	}
	out := make([]comch.Received, 3)
	for {
		n, err := c.RecvBatch(long(w.t), out)
		if err != nil {
			wantErr(w.t, err, doca.ErrBadState)
			break
		}
		for i := range out[:n] {
			w.received(c, &out[i])
		}
	}
	wantErr(w.t, c.Post(nil), doca.ErrBadState)
	for _, b := range c.posts { // those without a message are the program's
		if b == nil || b.own != nil {
			continue
		}
		b.posted = false
		require.NoError(w.t, b.SetData(0, b.len))
		b.at, b.n = 0, b.len
		copy(c.end.shadow[b.off:], b.Data())
	}
	c.posts = nil
	for _, f := range slices.Clone(w.futures) {
		if f.msgs[0].to == c {
			w.drive("the end of a message to a stopped consumer", f.f.Ended)
			if err := f.f.Err(); err != nil {
				wantErr(w.t, err, comch.ErrConsumerGone)
			}
			w.ended(f)
		}
	}
	c.sent = nil
	w.drive("the news of a consumer's end", func() bool { return !slices.Contains(c.end.other.conn.Consumers(), c.ID()) })
	if again {
		require.NoError(w.t, c.Start(long(w.t)))
		w.ownPosts(c, c.all-len(c.held))
	} else {
		c.end.consumers = slices.DeleteFunc(c.end.consumers, func(o *walkConsumer) bool { return o == c })
		c = w.newConsumer(c.end)
	}
	w.drive("the news of a consumer", func() bool { return slices.Contains(c.end.other.conn.Consumers(), c.ID()) })
}
