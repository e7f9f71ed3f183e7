package rdmasample

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

// Side is one of the two programs of a sample.
type Side struct {
	Device *doca.Device
	RDMA   *rdma.RDMA
	cfg    *Config
	files  []string // that it has written
	kept   []closer
}

type closer interface{ Close() error }

// Run makes a side and lets talk do its part. permissions is what the peer may do. The files and all objects of the side are gone
// when Run returns.
func Run(ctx context.Context, cfg *Config, permissions doca.Access, talk func(ctx context.Context, s *Side) error) (err error) {
	if err := cfg.check(); err != nil {
		return err
	}
	dev, err := doca.OpenDeviceByIbdev(cfg.device)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, in the order that DOCA demands.
	s := &Side{Device: dev, cfg: cfg}
	defer func() { err = errors.Join(err, dev.Close(), s.close()) }()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	rc := rdma.Config{
		Permissions: permissions, Transport: cfg.transport,
		MaxConnections: cfg.connections, MaxTasks: cfg.connections, MaxReceives: cfg.connections,
	}
	if cfg.gid >= 0 {
		index := uint32(cfg.gid)
		rc.GIDIndex, rc.GRH = &index, true
	}
	if s.RDMA, err = rdma.New(dev, pe, rc); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.removeFiles()) }()
	return talk(ctx, s)
}

// Keep keeps an object until the end of Run, which closes it.
func (s *Side) Keep(c closer) { s.kept = append(s.kept, c) }

// close closes the objects that were kept. The device is closed, and with it most of them.
func (s *Side) close() error {
	var err error
	for _, c := range s.kept {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Memory returns the memory of a sample.
func (s *Side) Memory(access doca.Access) (*doca.Memory, error) {
	mem, err := doca.NewMemory(RangeSize, doca.MemoryConfig{Devices: []*doca.Device{s.Device}, Access: access})
	if err != nil {
		return nil, err
	}
	s.Keep(mem)
	return mem, nil
}

// Text returns a memory that begins with a text, and the length to transfer: the text and, unless it is of the maximum length, the
// zero byte that ends it in C.
func (s *Side) Text(text string, access doca.Access) (*doca.Memory, int, error) {
	mem, err := s.Memory(access)
	if err != nil {
		return nil, 0, err
	}
	return mem, min(copy(mem.Bytes(), text)+1, MaxText), nil
}

// TextOf returns the text of a memory or message: what is before the first zero byte.
func TextOf(data []byte) string {
	text, _, _ := bytes.Cut(data, []byte{0})
	return string(text)
}

// PostReceives posts a receive for a message on each connection.
func (s *Side) PostReceives() error {
	set, err := buffers.New(s.Device, s.cfg.connections, RangeSize, doca.AccessLocalReadWrite)
	if err != nil {
		return err
	}
	s.Keep(set)
	_, err = s.RDMA.Post(set.List...)
	return err
}

// AwaitRequester waits until the user says that the requester has finished, or the requester has left. Without a user, it waits for the
// requester alone.
func (s *Side) AwaitRequester(ctx context.Context, conn *rdma.Conn) error {
	const patience = 5 * time.Second // with a user who is about to press Enter
	slog.Info("Press Enter when the requester has finished")
	enter, left := sample.Enter(), conn.Done()
	var over <-chan time.Time
	for {
		select {
		case err := <-enter:
			if err == nil || left == nil {
				return nil
			}
			enter = nil
		case <-left:
			if enter == nil {
				return nil
			}
			slog.Info(fmt.Sprintf("The requester has left: this program ends with Enter, or in %v", patience))
			left, over = nil, time.After(patience)
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pressEnter asks the user to press Enter when something was done.
func pressEnter(ctx context.Context, when string) error {
	slog.Info("Press Enter " + when)
	select {
	case <-sample.Enter():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// publish writes a file of this side. Only this user can read it: whoever has it can connect, or access the memory. The file must not
// exist, unless this side has written it for the connection before.
func (s *Side) publish(path string, content []byte) error {
	for i, mine := range s.files {
		if mine == path {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			s.files = append(s.files[:i], s.files[i+1:]...)
			break
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w: %s: remove the file, or take another path", doca.ErrAlreadyExist, path)
	}
	if err != nil {
		return err
	}
	s.files = append(s.files, path)
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// removeFiles removes the files of this side that are still there.
func (s *Side) removeFiles() error {
	var err error
	for _, path := range s.files {
		if e := os.Remove(path); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
