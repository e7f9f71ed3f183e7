package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// messages has many clients, in several processes, exchange messages with one server.
func messages(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("messages", flag.ExitOnError)
	clients := fs.Int("clients", 64, "number of clients")
	processes := fs.Int("processes", 4, "number of processes that the clients run in")
	total := fs.Int("messages", 1_000_000, "number of messages in all, half of them in each direction")
	fs.Parse(args)

	name := serviceName()
	dev, srv, err := listen(ctx, name)
	if err != nil {
		return err
	}
	defer dev.Close()
	each := max(1, *total / *clients / 2)
	begin := time.Now()
	errs := make(chan error, *clients+*processes)
	for p := range *processes {
		first, last := p**clients / *processes, (p+1)**clients / *processes
		cmd := child(ctx, "child-client", "-name", name, "-first", strconv.Itoa(first), "-clients", strconv.Itoa(last-first), "-messages", strconv.Itoa(each))
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() { errs <- cmd.Wait() }()
	}
	for range *clients {
		conn, err := srv.Accept(ctx)
		if err != nil {
			return err
		}
		go func() { errs <- serveOne(ctx, conn, each) }()
	}
	for range *clients + *processes {
		if err := <-errs; err != nil {
			return err
		}
	}
	took := time.Since(begin)
	n := 2 * each * *clients
	fmt.Printf("%d clients, %d messages, each received once, in order, unchanged: %.1fs, %.0f messages/s; resident %d MiB\n",
		*clients, n, took.Seconds(), float64(n)/took.Seconds(), residentMiB())
	return srv.Close()
}

// serveOne is the server's end of one connection. The first message says which stream it is.
func serveOne(ctx context.Context, conn *comch.Conn, each int) error {
	b, err := conn.Recv(ctx)
	if err != nil {
		return err
	}
	stream, err := strconv.Atoi(string(b))
	if err != nil {
		return err
	}
	if err := exchange(ctx, conn, uint64(2*stream+1), uint64(2*stream), each); err != nil {
		return fmt.Errorf("server, client %d: %w", stream, err)
	}
	if _, err := conn.Recv(ctx); !errors.Is(err, io.EOF) {
		return fmt.Errorf("server, client %d: the connection ended with %v, not io.EOF", stream, err)
	}
	return conn.Close()
}

// exchange sends one stream and receives another.
func exchange(ctx context.Context, conn *comch.Conn, out, in uint64, each int) error {
	longest := conn.MaxMessageSize()
	sent := make(chan error, 1)
	go func() {
		for i := range each {
			if err := conn.Send(ctx, message(out, uint64(i), longest)); err != nil {
				sent <- fmt.Errorf("send message %d: %w", i, err)
				return
			}
		}
		sent <- nil
	}()
	buf := make([]byte, longest)
	for i := range each {
		n, err := conn.RecvInto(ctx, buf)
		if err != nil {
			return fmt.Errorf("receive message %d: %w", i, err)
		}
		if !isMessage(buf[:n], in, uint64(i), longest) {
			return fmt.Errorf("message %d is not what was sent", i)
		}
	}
	return <-sent
}

// childClient is a process with some of the clients.
func childClient(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("child-client", flag.ExitOnError)
	name := fs.String("name", "", "")
	first := fs.Int("first", 0, "")
	clients := fs.Int("clients", 1, "")
	each := fs.Int("messages", 1, "")
	fs.Parse(args)

	dev, err := doca.OpenDevice(*hostAddr)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, *clients)
	for i := range *clients {
		group.Go(func() { errs[i] = oneClient(ctx, dev, *name, *first+i, *each) })
	}
	group.Wait()
	return errors.Join(append(errs, dev.Close())...)
}

// oneClient is one client: it says which stream is its own and exchanges messages.
func oneClient(ctx context.Context, dev *doca.Device, name string, stream, each int) error {
	conn, err := comch.Dial(ctx, dev, name, comch.Config{})
	if err != nil {
		return err
	}
	if err := conn.Send(ctx, []byte(strconv.Itoa(stream))); err != nil {
		return errors.Join(err, conn.Close())
	}
	if err := exchange(ctx, conn, uint64(2*stream), uint64(2*stream+1), each); err != nil {
		return errors.Join(fmt.Errorf("client %d: %w", stream, err), conn.Close())
	}
	return conn.Close()
}

// residentMiB returns how much memory this process occupies.
func residentMiB() int {
	b, _ := os.ReadFile("/proc/self/statm")
	var size, resident int
	fmt.Sscan(string(b), &size, &resident)
	return resident * os.Getpagesize() >> 20
}
