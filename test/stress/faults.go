package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// patience is the longest that a survivor may take for anything.
const patience = 10 * time.Second

// faults starts a process that talks to this one, and kills it at a random moment: while it
// connects, sends, receives or closes. The process is the server and the client in turns.
func faults(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("faults", flag.ExitOnError)
	rounds := fs.Int("rounds", 500, "number of rounds")
	seed := fs.Uint64("seed", 1, "seed of the random moments")
	fs.Parse(args)

	r := rand.New(rand.NewPCG(*seed, 0))
	var before usage
	for round := range *rounds {
		if round == min(10, *rounds/2) {
			before = used()
		}
		role := []string{"server", "client"}[round%2]
		delay := time.Duration(r.Int64N(int64(25 * time.Millisecond)))
		if err := faultRound(ctx, role, delay); err != nil {
			return fmt.Errorf("round %d, %s killed after %v: %w", round, role, delay, err)
		}
	}
	after := used()
	for wait := time.Now(); after.more(before) && time.Since(wait) < patience; after = used() {
		time.Sleep(10 * time.Millisecond)
	}
	if after.more(before) {
		return fmt.Errorf("left behind: %v, before: %v", after, before)
	}
	fmt.Printf("%d rounds: every survivor noticed and closed; %v, before: %v\n", *rounds, after, before)
	return nil
}

// usage counts what leaks would add to.
type usage struct{ descriptors, goroutines, mib int }

func used() usage {
	runtime.GC()
	fds, _ := os.ReadDir("/proc/self/fd")
	return usage{len(fds), runtime.NumGoroutine(), residentMiB()}
}

// A spare engine may have come to one descriptor more since.
const spareDescriptors = 8

func (u usage) more(than usage) bool {
	return u.descriptors > than.descriptors+spareDescriptors || u.goroutines > than.goroutines || u.mib > than.mib+16
}

func (u usage) String() string {
	return fmt.Sprintf("%d descriptors, %d goroutines, %d MiB", u.descriptors, u.goroutines, u.mib)
}

// faultRound starts the other process and kills it after delay.
func faultRound(ctx context.Context, role string, delay time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	name := serviceName()
	cmd := child(context.Background(), "child-fault", "-name", name, "-role", role)
	cmd.Stderr = nil // what it says about the end of its peer does not matter
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := ready.Read(make([]byte, 1)); err != nil { // it is about to connect or to serve
		return err
	}
	go func() {
		time.Sleep(delay)
		cmd.Process.Kill()
	}()
	if role == "server" {
		err = surviveServer(ctx, name)
	} else {
		err = surviveClient(ctx, name)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the survivor has not noticed within %v: %w", patience, errors.Join(err, ctx.Err()))
	}
	return err
}

// surviveServer runs a client whose server is killed.
func surviveServer(ctx context.Context, name string) error {
	dev, err := doca.OpenDevice(*hostAddr)
	if err != nil {
		return err
	}
	conn, err := comch.Dial(ctx, dev, name, comch.Config{})
	if err == nil {
		talk(ctx, conn)
		err = conn.Shutdown(ctx)
	} else {
		err = nil // killed before it served: Dial returns an error and does not hang
	}
	return errors.Join(err, dev.Shutdown(ctx))
}

// surviveClient runs a server whose client is killed.
func surviveClient(ctx context.Context, name string) error {
	dev, srv, err := listen(ctx, name)
	if err != nil {
		return err
	}
	accept, cancel := context.WithTimeout(ctx, 300*time.Millisecond) // it may never come
	conn, err := srv.Accept(accept)
	cancel()
	if err == nil {
		talk(ctx, conn)
	}
	return errors.Join(srv.Shutdown(ctx), dev.Shutdown(ctx))
}

// talk sends and receives, on both paths, until the peer is gone.
func talk(ctx context.Context, conn *comch.Conn) {
	var group sync.WaitGroup
	group.Go(func() {
		for {
			if _, err := conn.Recv(ctx); err != nil {
				return
			}
		}
	})
	group.Go(func() {
		msg := make([]byte, 1000)
		for conn.Send(ctx, msg) == nil {
		}
	})
	group.Go(func() { receiveData(ctx, conn) })
	group.Go(func() { sendData(ctx, conn) })
	group.Wait()
}

// receiveData runs a consumer until there is an error, which means that the peer is gone.
func receiveData(ctx context.Context, conn *comch.Conn) error {
	c, err := newReceiver(conn, 4, 64<<10)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		r, err := c.Recv(ctx)
		if err != nil {
			return err
		}
		if err := c.Post(r.Buffer); err != nil {
			return err
		}
	}
}

// sendData sends to the peer's consumer until that is gone.
func sendData(ctx context.Context, conn *comch.Conn) error {
	id, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	p, err := conn.NewProducer(comch.ProducerConfig{MaxTasks: 4})
	if err != nil {
		return err
	}
	defer p.Close()
	mem, err := doca.NewMemory(64<<10, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}})
	if err != nil {
		return err
	}
	defer mem.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		return err
	}
	defer inv.Close()
	buf, err := inv.Buffer(mem, 0, mem.Len())
	if err != nil {
		return err
	}
	if err := buf.SetData(0, mem.Len()); err != nil {
		return err
	}
	for {
		if err := p.Send(ctx, buf, nil, id); err != nil {
			return err
		}
	}
}

// childFault is the process that is killed. It connects, talks for a while and closes, again
// and again.
func childFault(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("child-fault", flag.ExitOnError)
	name := fs.String("name", "", "")
	role := fs.String("role", "", "")
	fs.Parse(args)

	fmt.Println("ready")
	for {
		var dev *doca.Device
		var conn *comch.Conn
		var err error
		if *role == "server" {
			var srv *comch.Server
			if dev, srv, err = listen(ctx, *name); err != nil {
				return err
			}
			if conn, err = srv.Accept(ctx); err != nil {
				return errors.Join(err, dev.Close())
			}
		} else {
			if dev, err = doca.OpenDevice(*hostAddr); err != nil {
				return err
			}
			if conn, err = comch.Dial(ctx, dev, *name, comch.Config{}); err != nil {
				return errors.Join(err, dev.Close())
			}
		}
		while, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		talk(while, conn)
		cancel()
		if err := dev.Close(); err != nil {
			return err
		}
	}
}
