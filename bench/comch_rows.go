package main

import (
	"context"
	"slices"

	"github.com/go-doca/go-doca/bench/cloop"
	"github.com/go-doca/go-doca/bench/result"
	"github.com/go-doca/go-doca/doca/comch"
)

// comchRows are messages on a connection within the process. Large ones take longer than a card's anyway.
func comchRows(p pace) []row {
	const burst = 512 // messages of a round with two threads, which ends when they are sent
	type kind struct {
		name      string
		size, ops int
		inGo      func(l *goComch, rounds int)
		inC       func(c *cloop.Comch, rounds int) error
		goal      result.Goal
	}
	streamInC := func(c *cloop.Comch, rounds int) error { return c.Stream(rounds, burst) }
	kinds := []kind{
		{"data, both sides in turns on one thread, 64 B", small, depth, (*goComch).turns, (*cloop.Comch).Run, result.AtLeast(0.9)},
		{"data, both sides in turns on one thread, 64 KiB", 64 << 10, depth, (*goComch).turns, (*cloop.Comch).Run, result.AtLeast(0.9)},
		{"data, a thread for each side, 64 B", small, burst, (*goComch).stream, streamInC, result.Goal{}},
		{"data, a thread for each side, 64 KiB", 64 << 10, burst, (*goComch).stream, streamInC, result.AtLeast(0.98)},
	}
	if p == likeCard {
		kinds = slices.DeleteFunc(kinds, func(k kind) bool { return k.size > small })
	}
	var rows []row
	for _, k := range kinds {
		rows = append(rows, row{group: p.group("Comch"), name: k.name, pace: p, sides: func(r *rig) []side {
			l, c := newGoComch(r, k.ops, k.size), r.cComch(k.size)
			r.later(func() error { r.check(c.Verify(), "C: a buffer does not hold what was sent"); return nil })
			return []side{
				{"Go", k.ops, func(rounds int) { k.inGo(l, rounds) }, result.Goal{}},
				{"C", k.ops, r.inC(func(rounds int) error { return k.inC(c, rounds) }), p.inFlight(k.goal)},
			}
		}})
	}
	return append(rows, row{group: p.group("Comch"), name: "control message of 64 B, there and back", pace: p, sides: pings})
}

func pings(r *rig) []side {
	ctx := context.Background()
	client, server := newConns(r, true)
	msg, buf := make([]byte, small), make([]byte, small)
	pass := func(from, to *comch.Conn) {
		r.ok(from.Send(ctx, msg))
		_, err := to.RecvInto(ctx, buf)
		r.ok(err)
	}
	c := r.cComch(small)
	return []side{
		{"Go", 1, func(rounds int) {
			for range rounds {
				pass(client, server)
				pass(server, client)
			}
		}, result.Goal{}},
		{"C", 1, r.inC(func(rounds int) error { return c.Ping(small, rounds) }), result.AtLeast(0.9)},
	}
}

func (r *rig) cComch(size int) *cloop.Comch {
	c, err := cloop.NewComch(dpu, host, channelName(), depth, size)
	r.ok(err)
	r.later(c.Close)
	return c
}
