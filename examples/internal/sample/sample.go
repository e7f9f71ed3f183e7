// Package sample is what the twins of NVIDIA's samples share: how they begin and end, and
// parameters that several have.
package sample

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/docalog"
)

// Main reads the command line and runs a sample, with its first and its last line. It
// returns the exit status. An interrupt ends the context.
func Main(p *argp.Parser, run func(context.Context) error) int {
	err := p.Parse(os.Args[1:], os.Stdout)
	if errors.Is(err, argp.ErrDone) {
		return 0
	}
	docalog.Setup(os.Stdout, p.LogLevel)
	slog.Info("Starting the sample")
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = run(ctx)
	}
	if err != nil {
		slog.Error(err.Error())
		slog.Info("Sample finished with errors")
		return 1
	}
	slog.Info("Sample finished successfully")
	return 0
}

// Text adds the parameter -t for a text of at most longest bytes.
func Text(p *argp.Parser, text *string, longest int, help string) {
	p.String(nil, argp.Param{Short: "t", Long: "text", Help: help, Set: func(s string) error {
		if len(s) > longest {
			return fmt.Errorf("longer than %d characters", longest)
		}
		*text = s
		return nil
	}})
}
