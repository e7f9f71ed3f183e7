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
	cfg := initiator.Config{Limit: 1_000_000, Transactions: 64, Channel: "doca_storage_comch", BlocksPerIO: 1}
	p := argp.New(name)
	cfg.AddParams(p)
	p.String(nil, argp.Param{Long: "execution-strategy", Argument: "<strategy>", Mandatory: true, Help: "What to do: " + strategies(), Set: func(s string) error {
		cfg.Strategy = initiator.Strategy(s)
		if !slices.Contains(initiator.Strategies, cfg.Strategy) {
			return fmt.Errorf("%q is none of %s", s, strategies())
		}
		return nil
	}})
	p.String(&cfg.Content, argp.Param{Long: "storage-plain-content", Argument: "<path>", Help: "File with what the storage holds; needed for " + string(initiator.ReadOnlyDataValidity)})
	p.Int(&cfg.Limit, 1, argp.Param{Long: "run-limit-operation-count", Argument: "<count>", Help: "IO operations of each CPU (default 1000000)"})
	p.Int(&cfg.Transactions, 1, argp.Param{Long: "transaction-count", Argument: "<count>", Help: "Concurrent transactions of each CPU (default 64)"})
	p.String(&cfg.Channel, argp.Param{Long: "command-channel-name", Argument: "<name>", Help: "Name of the server on the BlueField (default doca_storage_comch)"})
	app.Timeout(p, &cfg.Timeout, 5)
	p.Int(&cfg.RegionSize, 0, argp.Param{Long: "local-io-region-size", Argument: "<bytes>", Help: "Size of the memory for blocks (default 0: that of the storage)"})
	p.Int(&cfg.BlocksPerIO, 1, argp.Param{Long: "blocks-per-io", Argument: "<count>", Help: "Blocks of each IO operation (default 1)"})
	os.Exit(app.Main(p, name, func() []app.Field {
		return []app.Field{
			{Name: "core_set", Value: cfg.CPUs}, {Name: "execution_strategy", Value: cfg.Strategy},
			{Name: "device_id", Value: cfg.Device}, {Name: "command_channel_name", Value: cfg.Channel},
			{Name: "storage_plain_content_file", Value: cfg.Content}, {Name: "run_limit_operation_count", Value: cfg.Limit},
			{Name: "transaction_count", Value: cfg.Transactions}, {Name: "local_io_region_size", Value: cfg.RegionSize},
			{Name: "blocks_per_io", Value: cfg.BlocksPerIO}, {Name: "control_timeout", Value: cfg.Timeout},
		}
	}, func(ctx context.Context) error {
		res, err := initiator.Run(ctx, cfg)
		if err == nil || errors.Is(err, app.ErrInterrupted) {
			res.Print(os.Stdout)
		}
		if errors.Is(err, initiator.ErrData) {
			fmt.Fprintln(os.Stderr, "Test failed!!")
		}
		return err
	}))
}

func strategies() string {
	return fmt.Sprintf("%s, %s, %s or %s", initiator.ReadThroughput, initiator.WriteThroughput, initiator.ReadWriteDataValidity, initiator.ReadOnlyDataValidity)
}
