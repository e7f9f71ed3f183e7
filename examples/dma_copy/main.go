// Command dma_copy copies a file from a host to its DPU, or from the DPU to the host, with
// DOCA DMA. It runs on both sides. It is the Go twin of NVIDIA's application of the same name,
// with the same flags and messages, so either side may be NVIDIA's program. Two Go programs
// can do more: see docs/dma-copy.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/device"
	"github.com/go-doca/go-doca/examples/internal/docalog"
)

type config struct {
	file     string
	pci, rep string
	timeout  time.Duration // of each wait for the peer; 0 means none
	resume   bool
	sha256   bool
}

func main() {
	cfg, p, err := parse(os.Args[1:])
	if errors.Is(err, argp.ErrDone) {
		return
	}
	docalog.Setup(screen.lines(os.Stdout), screen.lines(os.Stderr), p.LogLevel)
	if err == nil {
		err = docalog.SDK(p.SDKLogLevel)
	}
	if err == nil {
		signal.Ignore(syscall.SIGXFSZ) // so that write returns an error if the file may not grow
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop) // so that a second signal ends the program at once
		err = run(ctx, cfg)
	}
	if err != nil {
		say(err)
		os.Exit(1)
	}
}

var said sync.Once

// say shows the first error, in one line. Errors of the cleaning up that follows come from it.
func say(err error) {
	said.Do(func() {
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		if errors.Is(err, doca.ErrInitialization) || errors.Is(err, doca.ErrDriver) {
			text += ": --sdk-log-level 40 shows more"
		}
		if reasonOf(err) == reasonMessage {
			text += sameRelease
		}
		slog.Error(text)
	})
}

func parse(args []string) (cfg config, p *argp.Parser, err error) {
	var older string
	var seconds int
	p = argp.New("doca_dma_copy")
	p.String(&cfg.file, argp.Param{Short: "f", Long: "file", Argument: "<path>", Mandatory: true, Help: "File to copy; the side that does not have it gets it"})
	p.String(&cfg.pci, argp.Param{Short: "p", Long: "pci-addr", Argument: "<PCI>", Help: "PCI address of the device (mandatory)"})
	p.String(&older, argp.Param{Short: "d", Long: "dev-pci", Argument: "<PCI>", Help: "The older name of -p"})
	p.String(&cfg.rep, argp.Param{Short: "r", Long: "rep-pci", Argument: "<PCI>", Help: "PCI address of the host function, as the host sees it (needed on the DPU)"})
	p.Int(&seconds, 1, argp.Param{Long: "timeout", Argument: "<seconds>", Help: "Give up when the other side does nothing for this long"})
	p.Bool(&cfg.resume, argp.Param{Long: "resume", Help: "Keep what has arrived when the copy is interrupted, and go on from there the next time"})
	p.Bool(&cfg.sha256, argp.Param{Long: "sha256", Help: "Also show the SHA-256 of the file at the end"})
	if err := p.Parse(args, os.Stdout); err != nil {
		return cfg, p, err
	}
	cfg.timeout = time.Duration(seconds) * time.Second
	switch {
	case cfg.file == "":
		return cfg, p, errors.New("-f, --file is empty: name the file to copy (see --help)")
	case cfg.pci == "" && older == "":
		return cfg, p, errors.New("the mandatory flag -p, --pci-addr is missing (see --help)")
	case cfg.pci != "" && older != "":
		return cfg, p, errors.New("-p, --pci-addr and -d, --dev-pci mean the same: give one of them (see --help)")
	case cfg.pci == "":
		cfg.pci = older
	}
	return cfg, p, nil
}

func run(ctx context.Context, cfg config) (err error) {
	umask := fs.FileMode(unix.Umask(0))
	unix.Umask(int(umask))
	src, err := openSource(cfg.file)
	if err != nil {
		return err
	}
	if src != nil {
		defer src.Close()
		slog.Info("File was found locally")
	} else {
		slog.Info("File was not found locally")
	}
	dev, err := device.Open(cfg.pci, comch.Supported, dma.Supported)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, a server included.
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := connect(ctx, dev, cfg)
	if err != nil {
		return err
	}
	t := &transfer{peer: &peer{conn: conn, timeout: cfg.timeout}, cfg: cfg, dev: dev, src: src, mode: 0o666 &^ umask}
	defer func() { err = errors.Join(err, t.release()) }()
	if conn.Server() != nil {
		err = t.dpu(ctx)
	} else {
		err = t.host(ctx)
	}
	if err != nil {
		if t.dst != nil && t.dst.complete {
			err = fmt.Errorf("%w: nevertheless %s is complete and stays", err, cfg.file)
		}
		say(err) // now: what follows may have to wait for the other side
		ctx, done := context.WithTimeout(context.Background(), tellTime)
		defer done()
		t.peer.tell(ctx, err)
		return errors.Join(err, conn.Close())
	}
	t.report()
	return conn.Close()
}
