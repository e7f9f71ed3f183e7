// Command dma_copy copies a file from a host to its DPU or from the DPU to the host with DOCA
// DMA. It runs on both, and is the Go twin of NVIDIA's application of the same name: same
// flags, same messages, so that either side may be NVIDIA's. Between two Go programs there
// is more; docs/dma-copy.md tells all of it.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/docalog"
)

type config struct {
	file     string
	pci, rep string
	timeout  time.Duration // of each wait for the peer; 0: none
	resume   bool
	sha256   bool
}

func main() {
	cfg, p, err := parse(os.Args[1:])
	if errors.Is(err, argp.ErrDone) {
		return
	}
	docalog.Setup(os.Stdout, p.LogLevel)
	if err == nil {
		err = setSDKLog(p.SDKLogLevel)
	}
	if err == nil {
		signal.Ignore(syscall.SIGXFSZ) // a file that may not grow is an error of write
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = run(ctx, cfg)
	}
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

func parse(args []string) (cfg config, p *argp.Parser, err error) {
	var older string
	var seconds int
	p = argp.New("doca_dma_copy")
	p.String(&cfg.file, argp.Param{Short: "f", Long: "file", Argument: "<path>", Mandatory: true, Help: "File to copy; the side that does not have it gets it"})
	p.String(&cfg.pci, argp.Param{Short: "p", Long: "pci-addr", Argument: "<PCI>", Help: "PCI address of the device (mandatory)"})
	p.String(&older, argp.Param{Short: "d", Long: "dev-pci", Argument: "<PCI>", Help: "The same, by its older name"})
	p.String(&cfg.rep, argp.Param{Short: "r", Long: "rep-pci", Argument: "<PCI>", Help: "PCI address of the host function, as the host sees it (needed on the DPU)"})
	p.Int(&seconds, 1, argp.Param{Long: "timeout", Argument: "<seconds>", Help: "Give up when the other side does nothing for so long"})
	p.Bool(&cfg.resume, argp.Param{Long: "resume", Help: "Keep what has come when the copy is interrupted, and go on from there"})
	p.Bool(&cfg.sha256, argp.Param{Long: "sha256", Help: "Show the SHA-256 of the file at the end, too"})
	if err := p.Parse(args, os.Stdout); err != nil {
		return cfg, p, err
	}
	cfg.timeout = time.Duration(seconds) * time.Second
	switch {
	case cfg.pci == "" && older == "":
		p.Usage(os.Stdout)
		return cfg, p, errors.New("the mandatory flag -p, --pci-addr is missing")
	case cfg.pci != "" && older != "":
		return cfg, p, errors.New("-p, --pci-addr and -d, --dev-pci are the same: give one of them")
	case cfg.pci == "":
		cfg.pci = older
	}
	return cfg, p, nil
}

// setSDKLog shows the libraries' own messages if they are asked for.
func setSDKLog(level int) error {
	if level == 0 {
		return nil
	}
	return doca.LogSDK(os.Stderr, doca.LogLevel(level))
}

func run(ctx context.Context, cfg config) (err error) {
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
	dev, err := doca.OpenDevice(cfg.pci)
	if err != nil {
		return err
	}
	// Closing the device closes all that is made on it, a server among it.
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := connect(ctx, dev, cfg)
	if err != nil {
		return err
	}
	t := &transfer{peer: &peer{conn: conn, timeout: cfg.timeout}, cfg: cfg, dev: dev, src: src}
	defer func() { err = errors.Join(err, t.release()) }()
	if conn.Server() != nil {
		err = t.dpu(ctx)
	} else {
		err = t.host(ctx)
	}
	if err != nil {
		t.peer.tell(err)
		return errors.Join(err, conn.Close())
	}
	slog.Info("Final status message was successfully received")
	t.report()
	return conn.Close()
}
