package rdmasample

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// Connect makes the connections to the peer, all that -nc asks for.
func (s *Side) Connect(ctx context.Context) ([]*rdma.Conn, error) {
	switch {
	case !s.cfg.byAddress:
		return s.connectByFiles(ctx)
	case s.cfg.server == "":
		return s.accept(ctx)
	}
	return s.dial(ctx)
}

// connectByFiles connects with the details that the user copies, one connection after the other.
func (s *Side) connectByFiles(ctx context.Context) ([]*rdma.Conn, error) {
	var conns []*rdma.Conn
	var before []byte
	for i := range s.cfg.connections {
		conn, details, err := s.RDMA.Export()
		if err != nil {
			return nil, err
		}
		s.Keep(conn)
		if err := s.publish(s.cfg.local, details); err != nil {
			return nil, fmt.Errorf("the connection details cannot be written: %w: -ld names their file", err)
		}
		slog.Info(fmt.Sprintf("Connection %d of %d: copy %s to the peer, and the peer's file to %s", i+1, s.cfg.connections, s.cfg.local, s.cfg.remote))
		if err := pressEnter(ctx, "when the files are copied"); err != nil {
			return nil, err
		}
		if details, err = os.ReadFile(s.cfg.remote); err != nil {
			return nil, fmt.Errorf("the peer's connection details cannot be read: %w: -re names their file", err)
		}
		if i > 0 && bytes.Equal(details, before) {
			return nil, fmt.Errorf("%s is still that of connection %d", s.cfg.remote, i)
		}
		before = details
		if err := conn.Connect(details); err != nil {
			return nil, err
		}
		conns = append(conns, conn)
	}
	return conns, nil
}

func (s *Side) accept(ctx context.Context) (conns []*rdma.Conn, err error) {
	l, err := s.RDMA.Listen(uint16(s.cfg.port))
	if err != nil {
		return nil, err
	}
	// It listens no longer than it has to: while it does, RDMA.Recv does not end when all peers have left.
	defer func() { err = errors.Join(err, l.Close()) }()
	slog.Info(fmt.Sprintf("Listening on port %d", s.cfg.port))
	for range s.cfg.connections {
		conn, err := l.Accept(ctx)
		if err != nil {
			return nil, err
		}
		s.Keep(conn)
		slog.Info("Connected")
		conns = append(conns, conn)
	}
	return conns, nil
}

func (s *Side) dial(ctx context.Context) (conns []*rdma.Conn, err error) {
	addr := rdma.Addr{Type: s.cfg.addrType, Address: s.cfg.server, Port: uint16(s.cfg.port)}
	for range s.cfg.connections {
		conn, err := s.RDMA.Dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		s.Keep(conn)
		slog.Info("Connected")
		conns = append(conns, conn)
	}
	return conns, nil
}

// Offer connects a responder, and brings the requester the descriptor of its memory or its sync event: as a file, or as a message.
func (s *Side) Offer(ctx context.Context, descriptor []byte) (*rdma.Conn, error) {
	if !s.cfg.byAddress {
		if err := s.publish(s.cfg.resource, descriptor); err != nil {
			return nil, fmt.Errorf("the descriptor cannot be written: %w: -m names its file", err)
		}
		slog.Info(fmt.Sprintf("Copy %s to the requester as well", s.cfg.resource))
	}
	conns, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if !s.cfg.byAddress {
		return conns[0], nil
	}
	mem, err := s.Memory(doca.AccessLocalReadWrite)
	if err != nil {
		return nil, err
	}
	if err := pressEnter(ctx, "to send the descriptor to the requester"); err != nil {
		return nil, err
	}
	return conns[0], conns[0].Send(ctx, mem, 0, copy(mem.Bytes(), descriptor))
}

// Take connects a requester, and returns the descriptor that the responder offers.
func (s *Side) Take(ctx context.Context) (*rdma.Conn, []byte, error) {
	if s.cfg.byAddress {
		// Before the connection is there: the responder may send at once.
		if err := s.PostReceives(); err != nil {
			return nil, nil, err
		}
	}
	conns, err := s.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !s.cfg.byAddress {
		descriptor, err := os.ReadFile(s.cfg.resource)
		if err != nil {
			return nil, nil, fmt.Errorf("the responder's descriptor cannot be read: %w: -m names its file", err)
		}
		return conns[0], descriptor, nil
	}
	slog.Info("Waiting for the responder's descriptor")
	msg, err := s.RDMA.Recv(ctx)
	return conns[0], msg.Data, err
}

// TakeMemory is Take, for a responder's memory.
func (s *Side) TakeMemory(ctx context.Context) (*rdma.Conn, *doca.Memory, error) {
	conn, descriptor, err := s.Take(ctx)
	if err != nil {
		return nil, nil, err
	}
	mem, err := doca.ImportMemory(s.Device, descriptor)
	if err != nil {
		return nil, nil, err
	}
	s.Keep(mem)
	return conn, mem, nil
}
