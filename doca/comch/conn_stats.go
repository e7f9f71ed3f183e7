package comch

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Stats holds the counters of a connection.
type Stats struct {
	SentMessages, SentBytes uint64 // handed over to the peer
	RecvMessages, RecvBytes uint64
}

// Stats returns the counters that DOCA keeps of the connection. After the end of the connection
// it returns what this package has counted. Calls doca_comch_connection_update_info and
// doca_comch_connection_get_counter.
func (c *Conn) Stats() (Stats, error) {
	if c == nil || c.c == nil {
		return Stats{}, noConn("stats")
	}
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	if in.raw == nil {
		return in.statsLocked(), nil
	}
	s, err := readStats(in.raw)
	if errors.Is(err, doca.ErrConnectionAborted) { // the engine is about to report the end
		return in.statsLocked(), nil
	}
	return s, in.fail("read statistics", err, "")
}

func (c *conn) statsLocked() Stats {
	return Stats{c.sends.messages, c.sends.bytes, c.backlog.messages, c.backlog.bytes}
}

func readStats(raw *gen.Connection) (s Stats, err error) {
	if err := gen.ConnectionUpdateInfo(raw); err != nil {
		return s, err
	}
	for _, c := range []struct {
		counter gen.Counter
		to      *uint64
	}{
		{gen.CounterSentMessages, &s.SentMessages}, {gen.CounterSentBytes, &s.SentBytes},
		{gen.CounterRecvMessages, &s.RecvMessages}, {gen.CounterRecvBytes, &s.RecvBytes},
	} {
		if *c.to, err = gen.ConnectionGetCounter(raw, c.counter); err != nil {
			return s, err
		}
	}
	return s, nil
}
