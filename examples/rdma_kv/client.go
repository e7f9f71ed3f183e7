package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// maxTries is how often a get reads a bucket in which it finds torn slots.
const maxTries = 10000

// client reads the table of a server, and asks the server for changes. It is for one goroutine at a time. After an error
// that is not of the store itself, such as the end of the server, close it and make another one.
type client struct {
	geometry
	dev   *doca.Device
	pe    *doca.ProgressEngine
	inv   *doca.Inventory
	rdma  *rdma.RDMA
	conn  *rdma.Conn
	mem   *doca.Memory // a request, and the answer
	in    *doca.Buffer // for the answer
	table *doca.Memory // the server's
	reads *doca.Memory // buckets
	batch *rdma.Batch
	most  int // keys of one get

	torn int // how many torn slots were seen
}

// dial connects to a server. Up to most keys can be looked up at once.
func dial(ctx context.Context, pci, address string, most int) (_ *client, err error) {
	addr, err := rdma.ParseAddr(address)
	if err != nil {
		return nil, err
	}
	c := &client{most: most}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if c.dev, err = doca.OpenDevice(pci); err != nil {
		return nil, err
	}
	if c.pe, err = doca.NewProgressEngine(doca.EngineConfig{}); err != nil {
		return nil, err
	}
	if c.rdma, err = rdma.New(c.dev, c.pe, rdma.Config{}); err != nil {
		return nil, err
	}
	if c.mem, err = doca.NewMemory(2*maxSlotSize, doca.MemoryConfig{Devices: []*doca.Device{c.dev}}); err != nil {
		return nil, err
	}
	if c.inv, err = doca.NewInventory(1); err != nil {
		return nil, err
	}
	if c.in, err = c.inv.Buffer(c.mem, maxSlotSize, maxSlotSize); err != nil {
		return nil, err
	}
	if c.conn, err = c.rdma.Dial(ctx, addr); err != nil {
		return nil, err
	}
	return c, c.meet(ctx)
}

// meet learns where the table is, and prepares reads.
func (c *client) meet(ctx context.Context) error {
	c.slotSize = maxSlotSize
	_, welcome, err := c.ask(ctx, opHello, nil, nil)
	if err != nil {
		return err
	}
	var descriptor []byte
	if c.geometry, descriptor, err = parseWelcome(welcome); err != nil {
		return err
	}
	if c.table, err = doca.ImportMemory(c.dev, descriptor); err != nil {
		return err
	}
	if c.table.Len() < c.size() {
		return fmt.Errorf("%w: the server's memory has %d bytes, its table %d", doca.ErrInvalidValue, c.table.Len(), c.size())
	}
	if c.reads, err = doca.NewMemory(2*c.most*c.bucketSize(), doca.MemoryConfig{Devices: []*doca.Device{c.dev}}); err != nil {
		return err
	}
	c.batch, err = c.conn.NewBatch(2 * c.most)
	return err
}

// close closes everything.
func (c *client) close() error {
	var errs []error
	for _, one := range []interface{ Close() error }{c.dev, c.pe, c.inv} { // the device closes what was made on it
		if err := one.Close(); err != nil && !errors.Is(err, doca.ErrInvalidValue) { // nil, if dial has failed
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ask sends a request, and returns the answer, whose value is valid until the next one.
func (c *client) ask(ctx context.Context, op operation, key, value []byte) (version uint64, answer []byte, err error) {
	if len(key) == 0 && op != opHello {
		return 0, nil, errNoKey
	}
	n, err := putRequest(c.mem.Bytes()[:c.messageSize()], op, key, value)
	if err != nil {
		return 0, nil, err
	}
	if _, err := c.rdma.Post(c.in); err != nil {
		return 0, nil, err
	}
	if err := c.conn.Send(ctx, c.mem, 0, n); err != nil {
		return 0, nil, err
	}
	msg, err := c.rdma.Recv(ctx)
	if err != nil {
		return 0, nil, err
	}
	return parseAnswer(msg.Data)
}

// put sets the value of a key, and returns its version: a later change has a greater one.
func (c *client) put(ctx context.Context, key, value []byte) (version uint64, err error) {
	version, _, err = c.ask(ctx, opPut, key, value)
	return version, err
}

// delete removes a key. It returns errNotFound if the store does not have it.
func (c *client) delete(ctx context.Context, key []byte) error {
	_, _, err := c.ask(ctx, opDelete, key, nil)
	return err
}

// get reads the entry of a key from the table. The server's program does nothing for it. It returns errNotFound if the store
// does not have the key.
func (c *client) get(ctx context.Context, key []byte) (entry, error) {
	var got [1]entry
	if err := c.getAll(ctx, [][]byte{key}, got[:]); err != nil {
		return entry{}, err
	}
	if got[0].key == nil {
		return entry{}, errNotFound
	}
	return got[0], nil
}

// getAll reads the entries of keys at once. An entry without a key means that the store does not have it.
func (c *client) getAll(ctx context.Context, keys [][]byte, got []entry) error {
	if len(keys) > c.most {
		return fmt.Errorf("%w: %d keys, there can be %d at once", doca.ErrInvalidValue, len(keys), c.most)
	}
	todo := make([]int, 0, c.most)
	for i, key := range keys {
		if len(key) == 0 {
			return errNoKey
		}
		got[i] = entry{}
		todo = append(todo, i)
	}
	for range maxTries {
		if err := c.read(ctx, keys, todo); err != nil {
			return err
		}
		torn := todo[:0]
		for n, i := range todo {
			if !c.look(n, keys[i], &got[i]) {
				torn = append(torn, i)
			}
		}
		if todo = torn; len(todo) == 0 {
			return nil
		}
		c.torn += len(todo)
		runtime.Gosched()
	}
	return fmt.Errorf("%w: %q has torn slots in its buckets, each time: the table is damaged", doca.ErrUnexpected, keys[todo[0]])
}

// read reads the buckets of the keys with the numbers todo.
func (c *client) read(ctx context.Context, keys [][]byte, todo []int) error {
	if len(todo) == 0 {
		return nil
	}
	if err := c.batch.Reset(); err != nil {
		return err
	}
	size := c.bucketSize()
	for n, i := range todo {
		for k, bucket := range c.hash(keys[i]) {
			if err := c.batch.Read(c.reads, (2*n+k)*size, c.table, bucket*size, size); err != nil {
				return err
			}
		}
	}
	return c.batch.Run(ctx)
}

// look looks for a key in the buckets that were read as number n. It returns false if they have to be read again.
func (c *client) look(n int, key []byte, got *entry) bool {
	size := c.bucketSize()
	both := c.reads.Bytes()[2*n*size:][:2*size]
	first, found, ok := find(both[:size], c.slotSize, key)
	if !found {
		var also bool
		first, found, also = find(both[size:], c.slotSize, key)
		ok = ok && also
	}
	if found {
		*got = entry{bytes.Clone(first.key), bytes.Clone(first.value), first.version}
	}
	return found || ok
}
