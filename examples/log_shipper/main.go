// Command log_shipper carries lines from a host to its DPU, and goes on when either side is killed and started
// again: the DPU's file has each line once, in order. Start the server on the DPU,
//
//	log_shipper -server -p 03:00.0 -r b1:00.0 -dir /var/log/hosts
//
// and the client on the host, which reads standard input and ends when the server has all of it:
//
//	journalctl -f | log_shipper -client -p b1:00.0 -id web1
//
// On a machine without DOCA both run on the emulator.
//
// The server writes the lines of the client "web1" to the file web1.log, and answers how many lines the file
// has. The client keeps each line until the server has answered so. After a new connection it asks for that
// number, and goes on from there. So nothing is lost and nothing is doubled as long as the file and one of
// these exist: the client's process, or its input. A client that is started again with the same -id
// must get the same input again, and skips what the server has. With -sync, the server answers when the lines
// are on the disk, and the same holds if the DPU loses its power.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

func main() {
	var server, client, sync bool
	var pci, rep, name, dir, id string
	flag.BoolVar(&server, "server", false, "write lines to files, on the DPU")
	flag.BoolVar(&client, "client", false, "send the lines of the standard input, from the host")
	flag.StringVar(&pci, "p", "03:00.0", "PCI device address")
	flag.StringVar(&rep, "r", "b1:00.0", "server: PCI address of the host function to serve, as the host sees it")
	flag.StringVar(&name, "n", "log_shipper", "name of the service")
	flag.StringVar(&dir, "dir", ".", "server: directory of the files")
	flag.BoolVar(&sync, "sync", false, "server: have lines on the disk before the client forgets them")
	flag.StringVar(&id, "id", "", "client: name of the file, without .log; each client needs its own")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	var err error
	switch {
	case server == client:
		err = errors.New("give either -server, on the DPU, or -client, on the host")
	case server:
		err = serve(ctx, pci, rep, name, &store{dir: dir, sync: sync})
	default:
		err = ship(ctx, pci, name, id, os.Stdin)
	}
	if err != nil && !(server && errors.Is(err, context.Canceled)) {
		log.Fatal(err)
	}
}
