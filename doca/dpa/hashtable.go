package dpa

import (
	"context"
	"math"
	"runtime"

	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// HashTable is a table for device code, from keys of 32 bits to values of 64 bits. The DPA owns it, and closes it after threads. Any goroutine may use it.
type HashTable struct {
	*child
	o *object[*gen.HashTable]
}

// NewHashTable creates a table with room for n entries; DOCA rounds up to a power of two. Device code must not add more. Errors: ErrInvalidValue if n is less
// than 1; [ErrFatal]; a [*doca.StateError] if the DPA is closed. Calls doca_dpa_hash_table_create.
func (d *DPA) NewHashTable(n int) (*HashTable, error) {
	const op = "create hash table"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	if n < 1 || n > math.MaxInt32 {
		return nil, wrong(op, d.c.name, "the number of entries is %d", n)
	}
	child, o, err := newObject(d, place{kind: "dpa hash table", late: true},
		func(raw *common.DPA) (*gen.HashTable, error) { return gen.HashTableCreate(raw, uint32(n)) },
		func(t *gen.HashTable) error { return gen.HashTableDestroy(nil, t) })
	if err != nil {
		return nil, err
	}
	return &HashTable{child, o}, nil
}

// Handle returns the handle for device code, valid until Close. Errors: [ErrFatal]; a [*doca.StateError] if t is closed. Calls
// doca_dpa_hash_table_get_dpa_handle.
func (t *HashTable) Handle() (dpadev.HashTable, error) {
	const op = "get DPA handle"
	if t == nil || t.o == nil {
		return 0, noHashTable(op)
	}
	defer runtime.KeepAlive(t)
	return got(t.o, op, gen.HashTableGetDPAHandle)
}

// Close closes the table. Closing a closed one is no error. Calls doca_dpa_hash_table_destroy.
func (t *HashTable) Close() error { return t.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (t *HashTable) Shutdown(ctx context.Context) error {
	if t == nil || t.o == nil {
		return noHashTable("close")
	}
	return t.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (t *HashTable) String() string {
	if t == nil || t.o == nil {
		return "no dpa hash table"
	}
	return t.o.name
}
