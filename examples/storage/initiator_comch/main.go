// Command initiator_comch reads and writes the blocks of a storage across the network, from a host with a BlueField: DOCA
// Comch carries its requests to comch_to_rdma_zero_copy on the BlueField, and target_rdma moves the blocks by RDMA. It is the
// Go twin of NVIDIA's application of this name. See docs/storage.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/storage/initiator"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
)

const name = "doca_storage_initiator_comch"

func main() {
	cfg := initiator.Config{Limit: 1_000_000, Transactions: 64, BlocksPerIO: 1, Buffers: 64, BufferSize: 4096}
	p := argp.New(name)
	app.Place(p, &cfg.Device, &cfg.CPUs)
	p.String(nil, argp.Param{Long: "execution-strategy", Argument: "<strategy>", Help: "What to do (mandatory): " + strategies(), Set: func(s string) error {
		cfg.Strategy = initiator.Strategy(s)
		if !slices.Contains(initiator.Strategies, cfg.Strategy) {
			return fmt.Errorf("%q is none of %s", s, strategies())
		}
		return nil
	}})
	p.String(&cfg.Content, argp.Param{Long: "storage-plain-content", Argument: "<path>", Help: "File with what the storage holds; needed for " + string(initiator.ReadOnlyDataValidity)})
	p.Int(&cfg.Limit, 1, argp.Param{Long: "run-limit-operation-count", Argument: "<count>", Help: "IO operations of each CPU (default 1000000)"})
	p.Int(&cfg.Transactions, 1, argp.Param{Long: "transaction-count", Argument: "<count>", Help: "Concurrent transactions of each CPU (default 64)"})
	app.Channel(p, &cfg.Channel, &cfg.Older)
	app.Timeout(p, &cfg.Timeout)
	p.Int(&cfg.RegionSize, 0, argp.Param{Long: "local-io-region-size", Argument: "<bytes>", Help: "Size of the memory for blocks (default 0: that of the storage)"})
	p.Int(&cfg.BlocksPerIO, 1, argp.Param{Long: "blocks-per-io", Argument: "<count>", Help: "Blocks of each IO operation (default 1)"})
	var jsonOutput string
	p.String(&jsonOutput, argp.Param{Long: "json-output", Argument: "<path>", Help: "File for the results in JSON, with percentiles of the latency; - means the standard output"})
	var live bool
	p.Bool(&live, argp.Param{Long: "live", Help: "Show rate and latency on the terminal while the test runs"})
	o := olderFlags{}
	o.addParams(p, &cfg)
	os.Exit(app.Main(p, name, func() []app.Field {
		app.Defaults(&cfg.Channel, &cfg.Timeout, cfg.Older)
		if cfg.Older {
			cfg.Strategy = o.strategy()
		}
		return []app.Field{
			{Name: "core_set", Value: cfg.CPUs}, {Name: "execution_strategy", Value: cfg.Strategy},
			{Name: "device_id", Value: cfg.Device}, {Name: "command_channel_name", Value: cfg.Channel},
			{Name: "storage_plain_content_file", Value: cfg.Content}, {Name: "run_limit_operation_count", Value: cfg.Limit},
			{Name: "transaction_count", Value: cfg.Transactions}, {Name: "local_io_region_size", Value: cfg.RegionSize},
			{Name: "blocks_per_io", Value: cfg.BlocksPerIO}, {Name: "control_timeout", Value: cfg.Timeout}, {Name: "older_messages", Value: cfg.Older},
		}
	}, func(ctx context.Context) error {
		if cfg.Strategy == "" {
			return o.missing(cfg.Older)
		}
		clear := func() {}
		if live {
			bar := newBar(int64(cfg.Limit) * int64(len(cfg.CPUs)))
			cfg.Live = func(s initiator.Sample) { show(bar, s) }
			clear = func() { _ = bar.Clear() } // an error is that of the terminal
		}
		results, err := openResults(jsonOutput)
		if err != nil {
			return err
		}
		res, err := initiator.Run(ctx, cfg)
		clear()
		if res.Latency != nil { // the test is complete, whatever came after it
			res.Print(os.Stdout)
			err = errors.Join(err, writeJSON(res, results))
		}
		if errors.Is(err, initiator.ErrData) {
			fmt.Fprintln(os.Stderr, "Test failed!!")
		}
		return err
	}))
}

// openResults opens the file for the results, so that a test is not run in vain. What is there stays there until writeJSON. It returns
// nil if there is to be none.
func openResults(path string) (*os.File, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return os.Stdout, nil
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
}

func writeJSON(res initiator.Result, f *os.File) error {
	switch f {
	case nil:
		return nil
	case os.Stdout:
		return res.WriteJSON(f)
	}
	_ = f.Truncate(0) // what is no regular file cannot be
	return errors.Join(res.WriteJSON(f), f.Close())
}

func strategies() string {
	return fmt.Sprintf("%s, %s, %s or %s", initiator.ReadThroughput, initiator.WriteThroughput, initiator.ReadWriteDataValidity, initiator.ReadOnlyDataValidity)
}

// olderFlags are the parameters that the older variant's program has in place of the strategy.
type olderFlags struct {
	operation string
	validate  bool
}

func (o *olderFlags) addParams(p *argp.Parser, cfg *initiator.Config) {
	p.String(nil, argp.Param{Long: "operation", Argument: "<read|write>", Help: "With --older-messages: what to do (mandatory)", Set: func(s string) error {
		if o.operation = s; s != "read" && s != "write" {
			return fmt.Errorf("%q is neither read nor write", s)
		}
		return nil
	}})
	p.Int(&cfg.Buffers, 1, argp.Param{Long: "per-cpu-buffer-count", Argument: "<count>", Help: "With --older-messages: buffers of each CPU (default 64)"})
	p.Int(&cfg.BufferSize, 64, argp.Param{Long: "buffer-size", Argument: "<bytes>", Help: "With --older-messages: size of a buffer, a multiple of 64 (default 4096)", Set: func(s string) error {
		if cfg.BufferSize%64 != 0 {
			return fmt.Errorf("%q is no multiple of 64", s)
		}
		return nil
	}})
	p.Bool(&o.validate, argp.Param{Long: "validate-writes", Help: "With --older-messages: read what was written, and compare"})
	p.Int(&cfg.BatchSize, 1, argp.Param{Long: "batch-size", Argument: "<count>", Help: "With --older-messages: requests that are submitted together (default: half of the buffers); this program submits what there is"})
}

func (o *olderFlags) strategy() initiator.Strategy {
	switch {
	case o.operation == "read":
		return initiator.ReadThroughput
	case o.operation == "write" && o.validate:
		return initiator.ReadWriteDataValidity
	case o.operation == "write":
		return initiator.WriteThroughput
	}
	return ""
}

// missing is the error for the flag without which there is nothing to do.
func (o *olderFlags) missing(older bool) error {
	if older {
		return errors.New("the mandatory flag --operation is missing (see --help)")
	}
	return errors.New("the mandatory flag --execution-strategy is missing (see --help)")
}
