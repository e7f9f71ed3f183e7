package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/device"
)

const (
	window      = 1024 // lines that the server has not confirmed
	dialTimeout = 5 * time.Second
	firstPause  = 50 * time.Millisecond // between two attempts to connect, doubled each time
	longPause   = 2 * time.Second
)

// shipper is the client.
type shipper struct {
	dev      *doca.Device
	name, id string
	input    <-chan []byte // closed at the end
	inputErr error         // valid when input is closed
	ended    bool          // input is closed

	confirmed uint64   // the server has so many lines
	kept      [][]byte // those that follow
	sent      int      // how many of these were sent on this connection
}

// ship sends the lines of r and returns when the server has all of them.
func ship(ctx context.Context, pci, name, id string, r io.Reader) (err error) {
	if err := checkID(id); err != nil {
		return err
	}
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	input := make(chan []byte)
	s := &shipper{dev: dev, name: name, id: id, input: input}
	go s.read(ctx, r, input)
	pause := firstPause
	for {
		before := s.confirmed
		err := s.connect(ctx)
		switch {
		case err == nil:
			log.Printf("the server has all %d lines", s.confirmed)
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted after %d lines: %w", s.confirmed, ctx.Err())
		case !temporary(err):
			return err
		}
		if s.confirmed > before {
			pause = firstPause
		}
		log.Printf("%v; next attempt in %v", err, pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, longPause)
	}
}

// temporary reports whether the server may be back later.
func temporary(err error) bool {
	for _, may := range []error{comch.ErrNoServer, comch.ErrPeerGone, doca.ErrNotConnected, doca.ErrFull, context.DeadlineExceeded} {
		if errors.Is(err, may) {
			return true
		}
	}
	return false
}

// read sends the lines of r to input.
func (s *shipper) read(ctx context.Context, r io.Reader, input chan<- []byte) {
	defer close(input)
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		} else if n == 0 || err != io.EOF { // the last line need not end
			s.inputErr = err
			return
		}
		select {
		case input <- line:
		case <-ctx.Done():
			return
		}
	}
}

// connect sends lines on one connection. It returns nil when the server has everything.
func (s *shipper) connect(ctx context.Context) (err error) {
	limited, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := comch.Dial(limited, s.dev, s.name, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.Send(limited, []byte(s.id)); err != nil {
		return err
	}
	msg, err := conn.Recv(limited)
	if err != nil {
		return err
	}
	if err := s.resume(ctx, msg); err != nil {
		return err
	}

	ctx, cancel = context.WithCancel(ctx)
	counts, broken := make(chan []byte), make(chan error, 1)
	done := make(chan struct{})
	defer func() { cancel(); <-done }()
	go func() {
		defer close(done)
		for {
			msg, err := conn.Recv(ctx)
			if err != nil {
				broken <- err
				return
			}
			select {
			case counts <- msg:
			case <-ctx.Done():
				return
			}
		}
	}()
	return s.exchange(ctx, conn, counts, broken)
}

// exchange sends lines and receives counts.
func (s *shipper) exchange(ctx context.Context, conn *comch.Conn, counts <-chan []byte, broken <-chan error) error {
	for {
		for ; s.sent < len(s.kept); s.sent++ {
			msg := record(s.confirmed+uint64(s.sent), s.kept[s.sent])
			if len(msg) > conn.MaxMessageSize() {
				return fmt.Errorf("line %d has %d bytes, the longest possible one %d", s.confirmed+uint64(s.sent)+1, len(msg)-countSize, conn.MaxMessageSize()-countSize)
			}
			if err := conn.Send(ctx, msg); err != nil {
				return err
			}
		}
		if s.ended && len(s.kept) == 0 {
			return s.inputEnd()
		}
		input := s.input
		if s.ended || len(s.kept) >= window {
			input = nil
		}
		select {
		case line, more := <-input:
			if s.ended = !more; more {
				s.kept = append(s.kept, line)
			}
		case msg := <-counts:
			if err := s.confirm(msg); err != nil {
				return err
			}
		case err := <-broken:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *shipper) inputEnd() error {
	if s.inputErr != nil && s.inputErr != io.EOF {
		return fmt.Errorf("the input has failed after %d lines: %w", s.confirmed, s.inputErr)
	}
	return nil
}

// confirm forgets lines that the server has.
func (s *shipper) confirm(msg []byte) error {
	n, _, err := parse(msg)
	if err != nil {
		return err
	}
	if n < s.confirmed || n > s.confirmed+uint64(len(s.kept)) {
		return fmt.Errorf("the server says that it has %d lines: it had %d, and was sent %d more; has its directory changed?", n, s.confirmed, len(s.kept))
	}
	s.forget(n)
	return nil
}

func (s *shipper) forget(n uint64) {
	k := int(n - s.confirmed)
	s.kept = s.kept[k:]
	s.confirmed, s.sent = n, max(0, s.sent-k)
}

// resume goes on where the server is. What the server has from an earlier process is skipped in the input.
func (s *shipper) resume(ctx context.Context, msg []byte) error {
	n, _, err := parse(msg)
	if err != nil {
		return err
	}
	s.sent = 0
	for s.confirmed+uint64(len(s.kept)) < n {
		s.forget(s.confirmed + uint64(len(s.kept)))
		select {
		case line, more := <-s.input:
			if !more {
				return fmt.Errorf("the server has %d lines of %q, the input only %d: give this client another -id", n, s.id, s.confirmed)
			}
			s.kept = append(s.kept, line)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.confirm(msg)
}
