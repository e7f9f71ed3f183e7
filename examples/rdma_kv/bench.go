package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"slices"
	"time"
)

// benchmark says what to measure.
type benchmark struct {
	pci, address, tcp string
	keys, size        int // how many keys, and the bytes of a value
	turns             int
	turn              time.Duration
}

// atOnce is how many keys one call looks up in the way that looks up several.
const atOnce = 16

// way is a way to get values.
type way struct {
	name  string
	count int // keys of one call
	get   func(keys [][]byte) error

	rates, medians, slow []float64 // of each turn: gets per second, and percentiles of the microseconds of a call
}

// run compares reads of the table with requests to the server, in turns, and prints the medians of all turns.
func (b *benchmark) run(ctx context.Context, out io.Writer) (err error) {
	if b.keys < 1 || b.size < 1 || b.turns < 1 || b.turn <= 0 {
		return errors.New("bench needs keys, a size, turns and a time of at least 1")
	}
	c, err := dial(ctx, b.pci, b.address, atOnce)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	keys := make([][]byte, b.keys)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key %d", i)
		if _, err := c.put(ctx, keys[i], b.value(keys[i])); err != nil {
			return fmt.Errorf("key %d of %d: %w", i, b.keys, err)
		}
	}
	log.Printf("the store has %d keys, now they are read", b.keys)
	got := make([]entry, atOnce)
	read := func(keys [][]byte) error {
		if err := c.getAll(ctx, keys, got); err != nil {
			return err
		}
		for i, key := range keys {
			if err := b.check(key, got[i].value); err != nil {
				return err
			}
		}
		return nil
	}
	ways := []*way{
		{name: "one-sided reads", count: 1, get: read},
		{name: fmt.Sprintf("one-sided reads, %d keys at once", atOnce), count: atOnce, get: read},
		{name: "messages", count: 1, get: func(keys [][]byte) error {
			_, value, err := c.ask(ctx, opGet, keys[0], nil)
			return errors.Join(err, b.check(keys[0], value))
		}},
	}
	if b.tcp != "" {
		conn, err := net.Dial("tcp", b.tcp)
		if err != nil {
			return err
		}
		defer conn.Close()
		in, buf := bufio.NewReader(conn), make([]byte, c.messageSize())
		ways = append(ways, &way{name: "TCP", count: 1, get: func(keys [][]byte) error {
			value, err := askTCP(conn, in, buf, keys[0])
			return errors.Join(err, b.check(keys[0], value))
		}})
	}
	for turn := range b.turns {
		for k := range ways {
			if err := ways[(k+turn)%len(ways)].measure(ctx, keys, b.turn); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%d keys, values of %d bytes, medians of %d turns of %v:\n", b.keys, b.size, b.turns, b.turn)
	fmt.Fprintf(out, "%-34s %12s %12s %12s\n", "", "gets/s", "50 % within", "99 % within")
	for _, w := range ways {
		fmt.Fprintf(out, "%-34s %12.0f %9.1f µs %9.1f µs\n", w.name, percentile(w.rates, 50), percentile(w.medians, 50), percentile(w.slow, 50))
	}
	return nil
}

// value is the value that a key has in the benchmark.
func (b *benchmark) value(key []byte) []byte {
	return bytes.Repeat(append(key, ' '), b.size/(len(key)+1)+1)[:b.size]
}

func (b *benchmark) check(key, value []byte) error {
	if !bytes.Equal(value, b.value(key)) {
		return fmt.Errorf("%q has a wrong value", key)
	}
	return nil
}

func askTCP(conn net.Conn, in *bufio.Reader, buf, key []byte) ([]byte, error) {
	n, err := putRequest(buf, opGet, key, nil)
	if err != nil {
		return nil, err
	}
	if err := writeTCP(conn, buf[:n]); err != nil {
		return nil, err
	}
	answer, err := readTCP(in, buf)
	if err != nil {
		return nil, err
	}
	_, value, err := parseAnswer(answer)
	return value, err
}

// measure gets keys of chance for some time.
func (w *way) measure(ctx context.Context, keys [][]byte, limit time.Duration) error {
	var took []float64
	chosen := make([][]byte, w.count)
	begin := time.Now()
	for now := begin; now.Sub(begin) < limit; {
		for i := range chosen {
			chosen[i] = keys[rand.IntN(len(keys))]
		}
		if err := w.get(chosen); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		end := time.Now()
		took = append(took, float64(end.Sub(now))/float64(time.Microsecond))
		now = end
	}
	w.rates = append(w.rates, float64(len(took)*w.count)/time.Since(begin).Seconds())
	w.medians = append(w.medians, percentile(took, 50))
	w.slow = append(w.slow, percentile(took, 99))
	return nil
}

// percentile returns the value that p percent of the values do not exceed. It sorts them.
func percentile(values []float64, p int) float64 {
	slices.Sort(values)
	return values[(len(values)-1)*p/100]
}
