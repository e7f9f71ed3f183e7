package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/buffers"
)

const messages = 64 // each carries one step of the data

// channel is the DPU's side: it listens, starts the host's process and talks to it.
func channel(ctx context.Context) (err error) {
	dev, rep, err := bothSides()
	if err != nil {
		return err
	}
	if dev == nil {
		fmt.Println("channel: here the host and the DPU are two machines: run examples/comch_ctrl_path_server on the DPU and examples/comch_ctrl_path_client on the host")
		return nil
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	fmt.Printf("channel: DOCA Comch between two processes, one as the DPU (%s), one as the host (%s)\n", dev.Info().PCIAddr, rep.Info().PCIAddr)

	name := fmt.Sprintf("go-doca demo %d", os.Getpid())
	server, err := comch.Listen(ctx, dev, rep, name, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	ctx, ended, err := startSelf(ctx, nil, os.Stdout, asHost, rep.Info().PCIAddr, name)
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, server), ended())
}

// bothSides opens a device of the DPU, and on it the representor of a host function that this
// process can open as well. Only the emulator has both sides; elsewhere the device is nil.
func bothSides() (*doca.Device, *doca.Representor, error) {
	devices, err := doca.Devices()
	if err != nil {
		return nil, nil, err
	}
	hosts := map[string]bool{}
	for _, d := range devices {
		hosts[d.PCIAddr] = hosts[d.PCIAddr] || comch.ClientSupported(d) == nil // an address may have several devices
	}
	for _, d := range devices {
		if comch.ServerSupported(d) != nil {
			continue
		}
		dev, err := doca.OpenDeviceFunc(func(i doca.DeviceInfo) bool { return i.PCIAddr == d.PCIAddr && i.Ibdev == d.Ibdev })
		if err != nil {
			return nil, nil, err
		}
		reps, err := dev.Representors(doca.RepresentorsNet)
		for _, r := range reps {
			if hosts[r.PCIAddr] {
				rep, err := dev.OpenRepresentor(r.PCIAddr)
				return dev, rep, err
			}
		}
		if err := errors.Join(err, dev.Close()); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, nil
}

// startSelf runs this program a second time, with arguments that say as what. The context that it
// returns is cancelled if that process fails. ended waits for the process and returns its error.
func startSelf(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) (_ context.Context, ended func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	provider, err := doca.Provider()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), "DOCA_PROVIDER="+provider.Name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	result := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		if err != nil {
			cancel()
		}
		result <- err
	}()
	return ctx, func() error { defer cancel(); return <-result }, nil
}

// serve talks to one client: a message each way, then data that the client writes straight
// into the memory of this process.
func serve(ctx context.Context, server *comch.Server) (err error) {
	conn, err := server.Accept(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	greeting, err := conn.Recv(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("to DPU:  %q\n", greeting)
	if err := conn.Send(ctx, []byte("Hello from the DPU, in Go.")); err != nil {
		return err
	}

	set, err := buffers.New(conn.Device(), messages, step, doca.AccessPCIReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	clear(set.Memory.Bytes()) // so that the kernel allocates the pages now, not during the transfer
	consumer, err := conn.NewConsumer(set.Memory, comch.ConsumerConfig{MaxTasks: messages})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	if _, err := consumer.PostBatch(set.List); err != nil {
		return err
	}
	received := make([]comch.Received, messages)
	for n := 0; n < messages; {
		k, err := consumer.RecvBatch(ctx, received[n:])
		if err != nil {
			return err
		}
		n += k
	}
	took, err := conn.Recv(ctx)
	if err != nil {
		return err
	}
	return report(set.Memory.Bytes(), string(took))
}

// data fills b with bytes that both processes can generate.
func data(b []byte) {
	_, _ = rand.NewChaCha8([32]byte{}).Read(b) // it never fails
}

// report compares what was received with what was sent, and prints the rate. took is the time
// that sending took, in nanoseconds.
func report(got []byte, took string) error {
	ns, err := strconv.ParseInt(took, 10, 64)
	if err != nil {
		return err
	}
	want := make([]byte, len(got))
	data(want)
	if !bytes.Equal(got, want) {
		return errors.New("the data differs from what the host sent")
	}
	fmt.Printf("data:    %d MiB from the host to the DPU in %d messages, %.1f GB/s, compared byte by byte\n",
		len(got)>>20, messages, float64(len(got))/time.Duration(ns).Seconds()/1e9)
	return nil
}
