package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// asWriter is the first argument of the process that writes, before the address of its device.
const asWriter = "as-writer"

const writtenSize = 4096

// written starts a process that writes to the memory of this one.
func written(ctx context.Context) (err error) {
	info, err := rdmaDevice()
	if err != nil {
		return err
	}
	if info.PCIAddr == "" {
		fmt.Println("rdma:    no device here supports DOCA RDMA")
		return nil
	}
	fmt.Printf("rdma:    DOCA RDMA between two processes, both on %s\n", info.PCIAddr)
	n, err := newNode(info.PCIAddr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	descriptor, err := n.mem.ExportRDMA(n.dev)
	if err != nil {
		return err
	}
	if _, err := n.rdma.Post(nil); err != nil { // for the end of the write; the data needs none
		return err
	}
	toWriter, in := io.Pipe()
	out, fromWriter := io.Pipe()
	ctx, ended, err := startSelf(ctx, toWriter, fromWriter, asWriter, info.PCIAddr)
	if err != nil {
		return err
	}
	closePipes := func() {
		in.Close()
		out.Close()
	}
	defer context.AfterFunc(ctx, closePipes)() // if that process fails
	err = n.receive(ctx, in, out, descriptor)
	closePipes()
	return errors.Join(err, ended())
}

// receive brings the writer what it needs, and prints what it has written.
func (n *node) receive(ctx context.Context, in io.Writer, out io.Reader, descriptor []byte) error {
	if _, err := fmt.Fprintf(in, "%x %x\n", n.details, descriptor); err != nil {
		return err
	}
	var details []byte
	if _, err := fmt.Fscanf(out, "%x\n", &details); err != nil {
		return err
	}
	if err := n.conn.Connect(details); err != nil {
		return err
	}
	msg, err := n.rdma.Recv(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("written: %q, by the other process into the memory of this one\n", n.mem.Bytes()[:msg.Imm])
	return nil
}

// writer is the process that writes.
func writer(ctx context.Context, pciAddr string) (err error) {
	n, err := newNode(pciAddr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	var details, descriptor []byte
	if _, err := fmt.Fscanf(os.Stdin, "%x %x\n", &details, &descriptor); err != nil {
		return err
	}
	peer, err := doca.ImportMemory(n.dev, descriptor)
	if err != nil {
		return err
	}
	fmt.Printf("%x\n", n.details)
	if err := n.conn.Connect(details); err != nil {
		return err
	}
	text := copy(n.mem.Bytes(), "Hello by DOCA RDMA, in Go.")
	return n.conn.WriteImm(ctx, uint32(text), peer, 0, n.mem, 0, text)
}

// node is one side of the connection.
type node struct {
	dev     *doca.Device
	pe      *doca.ProgressEngine
	rdma    *rdma.RDMA
	mem     *doca.Memory
	conn    *rdma.Conn
	details []byte // for the other side
}

func newNode(pciAddr string) (_ *node, err error) {
	n := new(node)
	defer func() {
		if err != nil {
			err = errors.Join(err, n.close())
		}
	}()
	if n.dev, err = doca.OpenDevice(pciAddr); err != nil {
		return nil, err
	}
	if n.pe, err = doca.NewProgressEngine(doca.EngineConfig{}); err != nil {
		return nil, err
	}
	if n.rdma, err = rdma.New(n.dev, n.pe, rdma.Config{}); err != nil {
		return nil, err
	}
	access := doca.AccessLocalReadWrite | doca.AccessRDMAWrite
	if n.mem, err = doca.NewMemory(writtenSize, doca.MemoryConfig{Devices: []*doca.Device{n.dev}, Access: access}); err != nil {
		return nil, err
	}
	n.conn, n.details, err = n.rdma.Export()
	return n, err
}

// close closes the device with all that was made on it, and the engine.
func (n *node) close() error {
	var errs []error
	if n.dev != nil {
		errs = append(errs, n.dev.Close())
	}
	if n.pe != nil {
		errs = append(errs, n.pe.Close())
	}
	return errors.Join(errs...)
}

// rdmaDevice finds the first device with RDMA. Its address is empty if there is none.
func rdmaDevice() (doca.DeviceInfo, error) {
	devices, err := doca.Devices()
	for _, d := range devices {
		if rdma.Supported(d) == nil {
			return d, nil
		}
	}
	return doca.DeviceInfo{}, err
}
