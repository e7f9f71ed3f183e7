package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
)

// For comparison, the server answers the same requests by TCP. Each message follows its length, 4 bytes.

// serveTCP answers requests until stop is called.
func (s *server) serveTCP(address string) (stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				context.AfterFunc(ctx, func() { conn.Close() })
				defer conn.Close()
				s.answerTCP(conn)
			})
		}
	})
	return func() { cancel(); l.Close(); running.Wait() }, nil
}

// answerTCP answers the requests of one client until it is gone.
func (s *server) answerTCP(conn net.Conn) {
	in := bufio.NewReader(conn)
	request, out := make([]byte, s.table.messageSize()), make([]byte, s.table.messageSize())
	for {
		message, err := readTCP(in, request)
		if err != nil {
			return
		}
		s.mu.Lock()
		n := s.table.answer(message, s.welcome, out)
		s.mu.Unlock()
		if writeTCP(conn, out[:n]) != nil {
			return
		}
	}
}

func readTCP(in io.Reader, b []byte) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if int(n) > len(b) {
		return nil, fmt.Errorf("a message of %d bytes", n)
	}
	_, err := io.ReadFull(in, b[:n])
	return b[:n], err
}

func writeTCP(conn net.Conn, message []byte) error {
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(message)))
	parts := net.Buffers{head[:], message}
	_, err := parts.WriteTo(conn)
	return err
}
