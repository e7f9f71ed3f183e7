// Command dpa_msgq_echo sends messages to a thread on the DPA through one MsgQ, and gets them back through another. They must come
// back in order, each once.
//
//	dpa_msgq_echo -p 03:00.0 -n 1000000
//	dpa_msgq_echo -copy 4096
//
// With -copy the thread copies bytes from one memory of the program to another, by DMA, before it answers. The code of the thread
// is in device/msgq_echo_dev.c. On a machine without DOCA it runs on the emulator; for a BlueField, compile it with dpacc and build
// with -tags dpacc: see docs/dpa.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// config is what the flags say.
type config struct {
	pci      string
	messages uint64
	window   int
	copyLen  int
}

func main() {
	var cfg config
	flag.StringVar(&cfg.pci, "p", "", "PCI address of the device; any with a DPA unless given")
	flag.Uint64Var(&cfg.messages, "n", 100_000, "number of messages")
	flag.IntVar(&cfg.window, "window", 64, "messages on their way at once")
	flag.IntVar(&cfg.copyLen, "copy", 0, "bytes that the thread copies for each message, a multiple of 8")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := run(ctx, cfg, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, cfg config, out io.Writer) (err error) {
	if cfg.messages == 0 || cfg.window < 1 || cfg.window > 1024 || cfg.copyLen < 0 || cfg.copyLen%8 != 0 {
		return fmt.Errorf("give -n of at least 1, -window of 1 to 1024 and -copy that is a multiple of 8")
	}
	dev, err := open(cfg.pci)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	e, err := newEcho(ctx, dev, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	rate, err := e.exchange(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d messages there and back, %.0f a second\n", cfg.messages, rate)
	return nil
}

// open opens the device of this address, or the first one with a DPA.
func open(pci string) (*doca.Device, error) {
	if pci != "" {
		return doca.OpenDevice(pci)
	}
	return doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return dpa.Supported(info) == nil })
}
