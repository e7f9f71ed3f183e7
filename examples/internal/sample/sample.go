// Package sample has what the twins of NVIDIA's samples share: how they begin and end, and the
// parameters that several have.
package sample

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"

	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/docalog"
)

// Main reads the command line, runs a sample and logs its first and its last line. It returns
// the exit status. An interrupt cancels the context.
func Main(p *argp.Parser, run func(context.Context) error) int {
	err := p.Parse(os.Args[1:], os.Stdout)
	if errors.Is(err, argp.ErrDone) {
		return 0
	}
	docalog.Setup(os.Stdout, os.Stderr, p.LogLevel)
	slog.Info("Starting the sample")
	if err == nil {
		err = docalog.SDK(p.SDKLogLevel)
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(ctx, stop) // a second signal ends the program at once
		defer stop()
		if err = run(ctx); errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
	}
	if err != nil {
		slog.Error(strings.ReplaceAll(err.Error(), "\n", "; "))
		slog.Info("Sample finished with errors")
		return 1
	}
	slog.Info("Sample finished successfully")
	return 0
}

// Text adds the parameter -t for a text of at most longest bytes.
func Text(p *argp.Parser, text *string, longest int, help string) {
	Limited(p, text, longest, argp.Param{Short: "t", Long: "text", Help: help})
}

// Limited adds a parameter for a text of at most longest bytes.
func Limited(p *argp.Parser, text *string, longest int, q argp.Param) {
	q.Set = func(s string) error {
		if len(s) > longest {
			return fmt.Errorf("longer than %d characters", longest)
		}
		*text = s
		return nil
	}
	p.String(text, q)
}

// Counts adds the parameters -ns and -nd for the numbers of buffers that a copy uses.
func Counts(p *argp.Parser, src, dst *int) {
	p.Int(src, 1, argp.Param{Short: "ns", Long: "num-src-buf", Help: "Number of source buffers (1 or more)"})
	p.Int(dst, 1, argp.Param{Short: "nd", Long: "num-dst-buf", Help: "Number of destination buffers (1 or more)"})
}

// Exchange adds the parameters -d and -b. They name the files that tell the DPU about the
// host's memory: its export descriptor, and a text of two lines, its address and its length.
func Exchange(p *argp.Parser, descriptor, buffer *string) {
	*descriptor, *buffer = "/tmp/export_desc.txt", "/tmp/buffer_info.txt"
	p.String(descriptor, argp.Param{Short: "d", Long: "descriptor-path", Help: "Path of the file with the export descriptor"})
	p.String(buffer, argp.Param{Short: "b", Long: "buffer-path", Help: "Path of the file with the buffer's address and length"})
}
