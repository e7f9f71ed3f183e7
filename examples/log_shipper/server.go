package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/device"
)

// serve writes the lines of all clients until ctx ends.
func serve(ctx context.Context, pci, rep, name string, files *store) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }() // and the server with its connections
	representor, err := dev.OpenRepresentor(rep)
	if err != nil {
		return err
	}
	srv, err := comch.Listen(ctx, dev, representor, name, comch.Config{})
	if err != nil {
		return err
	}
	log.Printf("serving %q", name)
	s := &server{files: files, clients: map[string]*client{}}
	defer s.running.Wait()
	for {
		conn, err := srv.Accept(ctx)
		if err != nil {
			return err
		}
		s.running.Go(func() {
			err := s.serve(ctx, conn)
			if err != nil && !errors.Is(err, comch.ErrPeerGone) && ctx.Err() == nil {
				log.Printf("%v: %v", conn, err)
			}
			if err := conn.Close(); err != nil {
				log.Printf("%v: %v", conn, err)
			}
		})
	}
}

type server struct {
	files   *store
	running sync.WaitGroup

	mu      sync.Mutex
	clients map[string]*client // by id
}

// client is the connection of an id.
type client struct {
	conn *comch.Conn
	left chan struct{} // closed when the file is closed
}

// enter makes conn the connection of an id. A client that connects again has left its old connection, even
// if the server has not noticed yet.
func (s *server) enter(ctx context.Context, id string, conn *comch.Conn) (leave func(), err error) {
	for {
		s.mu.Lock()
		old := s.clients[id]
		if old == nil {
			c := &client{conn, make(chan struct{})}
			s.clients[id] = c
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.clients, id)
				close(c.left)
			}, nil
		}
		s.mu.Unlock()
		if err := old.conn.Close(); err != nil {
			return nil, err
		}
		select {
		case <-old.left:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// serve serves one connection.
func (s *server) serve(ctx context.Context, conn *comch.Conn) (err error) {
	id, err := conn.Recv(ctx)
	if err != nil {
		return err
	}
	if err := checkID(string(id)); err != nil {
		return err
	}
	leave, err := s.enter(ctx, string(id), conn)
	if err != nil {
		return err
	}
	defer leave()
	file, err := s.files.open(string(id))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	log.Printf("%q is connected and has sent %d lines so far", id, file.lines)
	if err := conn.Send(ctx, count(file.lines)); err != nil {
		return err
	}
	records := make(chan []byte, window)
	var recvErr error
	go func() {
		defer close(records)
		for {
			var msg []byte
			if msg, recvErr = conn.Recv(ctx); recvErr != nil {
				return
			}
			records <- msg
		}
	}()
	defer func() {
		conn.Close()
		for range records {
		}
	}()
	for msg := range records {
		for more := true; more; { // what is there is written, and confirmed, together
			n, line, err := parse(msg)
			if err != nil {
				return err
			}
			if n != file.lines {
				return fmt.Errorf("line %d of %q follows %d lines", n+1, id, file.lines)
			}
			file.add(line)
			select {
			case msg, more = <-records:
			default:
				more = false
			}
		}
		if err := file.write(); err != nil {
			return err
		}
		if err := conn.Send(ctx, count(file.lines)); err != nil {
			return err
		}
	}
	return recvErr
}
