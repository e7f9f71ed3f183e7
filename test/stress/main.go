// Command stress puts load and faults on DOCA Comch and RDMA between processes, and checks every byte.
//
//	stress messages -clients 64 -messages 1000000   control messages, both ways
//	stress data -endpoints 8 -mib 10240             producers to consumers
//	stress faults -rounds 500                       either side is killed at a random moment
//	stress rdma -rounds 500 -connections 1000       the same for RDMA; then connections one after another
//
// It prints what it did. It exits with 1 at the first thing that is wrong: a message that is
// lost, repeated, out of order or changed, a survivor that does not learn of its peer's end, a
// call that hangs, or descriptors, goroutines or memory that are left behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	_ "github.com/go-doca/go-doca/emulator"
)

// The defaults are those of the emulator, and of a BlueField as it comes.
var (
	dpuAddr  = flag.String("dpu", "03:00.0", "PCI address of the DPU's device")
	hostAddr = flag.String("host", "b1:00.0", "PCI address of the host's device, for which the DPU has a representor")
)

// commands has the program's commands. Those that begin with "child" are for its other
// processes.
var commands = map[string]func(ctx context.Context, args []string) error{
	"messages":     messages,
	"child-client": childClient,
	"data":         data,
	"child-data":   childData,
	"faults":       faults,
	"child-fault":  childFault,
	"rdma":         rdmaFaults,
	"child-rdma":   childRDMA,
}

func main() {
	flag.Parse()
	if flag.NArg() == 0 || commands[flag.Arg(0)] == nil {
		fmt.Fprintln(os.Stderr, "usage: stress [-dpu ADDR] [-host ADDR] messages|data|faults|rdma [flags]")
		os.Exit(2)
	}
	if err := commands[flag.Arg(0)](context.Background(), flag.Args()[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "stress %s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
}

// child returns the command for another process of this program.
func child(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", append([]string{"-dpu", *dpuAddr, "-host", *hostAddr}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// serviceName returns a server name that no other run has.
func serviceName() string { return "stress " + strconv.Itoa(os.Getpid()) }

// listen opens the DPU's device and listens on it. Closing the device closes the server as
// well.
func listen(ctx context.Context, name string) (*doca.Device, *comch.Server, error) {
	dev, err := doca.OpenDevice(*dpuAddr)
	if err != nil {
		return nil, nil, err
	}
	rep, err := dev.OpenRepresentor(*hostAddr)
	if err != nil {
		return nil, nil, errors.Join(err, dev.Close())
	}
	srv, err := comch.Listen(ctx, dev, rep, name, comch.Config{})
	if err != nil {
		return nil, nil, errors.Join(err, dev.Close())
	}
	return dev, srv, nil
}
