// Command rdma_kv is a key-value store whose clients look keys up without the server's program: they read its table by RDMA.
// Start the server,
//
//	rdma_kv serve -p 03:00.0 -l 13580
//
// and on another machine, with the address of the server's device:
//
//	rdma_kv put -a 192.0.2.1:13580 greeting "Hello, world"
//	rdma_kv get -a 192.0.2.1:13580 greeting
//	rdma_kv delete -a 192.0.2.1:13580 greeting
//
// On a machine without DOCA both run on the emulator, and -a is 127.0.0.1:13580 unless given.
//
// A get is one batch of two RDMA reads: it finds the two buckets in which the key can be, and checks what it has read with
// a checksum. If the server was just writing there, it reads again. The form of the table is described in table.go. Puts and
// deletes are messages to the server, which has one table, in memory, for all clients.
//
// bench compares such reads with gets that ask the server by a message and, if the server has -tcp, by TCP:
//
//	rdma_kv serve -tcp 127.0.0.1:13581
//	rdma_kv bench -tcp 127.0.0.1:13581
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

const usage = `usage: rdma_kv serve [flags]
       rdma_kv get [flags] key
       rdma_kv put [flags] key value
       rdma_kv delete [flags] key
       rdma_kv bench [flags]
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	command := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") { // -h may stand alone
		command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("rdma_kv "+command, flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	var g geometry
	var b benchmark
	flags.StringVar(&b.pci, "p", "03:00.0", "PCI device address")
	flags.StringVar(&b.address, "a", "127.0.0.1:13580", "clients: address and port of the server's device")
	flags.StringVar(&b.tcp, "tcp", "", "server and bench: TCP address and port, to compare with")
	port := flags.Uint("l", 13580, "server: port to listen on")
	flags.IntVar(&g.buckets, "buckets", 4096, "server: buckets of the table, each with 4 slots")
	flags.IntVar(&g.slotSize, "slot", 1024, "server: bytes of a slot, for a key, its value and 16 more; up to 32768")
	flags.IntVar(&b.keys, "n", 1000, "bench: number of keys")
	flags.IntVar(&b.size, "size", 100, "bench: bytes of a value")
	flags.IntVar(&b.turns, "turns", 11, "bench: turns of each way to get values")
	flags.DurationVar(&b.turn, "time", 200*time.Millisecond, "bench: time of a turn")
	flags.Parse(args) // ends the program if it fails
	want := map[string]int{"serve": 0, "get": 1, "put": 2, "delete": 1, "bench": 0}
	if n, known := want[command]; !known || n != flags.NArg() {
		flags.Usage()
		return errors.New("give one of these commands and its arguments")
	}
	if *port > 1<<16-1 {
		return fmt.Errorf("-l %d is no port", *port)
	}
	switch command {
	case "serve":
		return serve(ctx, b.pci, uint16(*port), b.tcp, g)
	case "bench":
		return b.run(ctx, os.Stdout)
	}
	return change(ctx, b.pci, b.address, command, flags.Args())
}

// change does a get, put or delete.
func change(ctx context.Context, pci, address, command string, args []string) (err error) {
	c, err := dial(ctx, pci, address, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	key := []byte(args[0])
	switch command {
	case "get":
		got, err := c.get(ctx, key)
		if err == nil {
			_, err = fmt.Printf("%s\n", got.value)
		}
		return err
	case "put":
		_, err = c.put(ctx, key, []byte(args[1]))
	case "delete":
		err = c.delete(ctx, key)
	}
	return err
}
