// Command target_rdma serves blocks to initiator_comch on another machine, through comch_to_rdma_zero_copy on that machine's
// BlueField. It is the Go twin of NVIDIA's application of this name. See docs/storage.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
	"github.com/go-doca/go-doca/examples/storage/target"
)

const name = "doca_storage_target_rdma"

func main() {
	cfg := target.Config{BlockSize: 4096, Sessions: 1}
	p := argp.New(name)
	app.Place(p, &cfg.Device, &cfg.CPUs)
	p.Int(&cfg.Port, 0, argp.Param{Long: "listen-port", Argument: "<port>", Mandatory: true, Help: "TCP port for the BlueField's program", Set: func(s string) error {
		if cfg.Port > 65535 {
			return fmt.Errorf("%q is no port, 0 to 65535", s)
		}
		return nil
	}})
	p.String(&cfg.Content, argp.Param{Long: "binary-content", Argument: "<path>", Help: "File with what the storage holds at first: plain, or .sbc, which says how it is cut into blocks"})
	p.Int(&cfg.BlockCount, 1, argp.Param{Long: "block-count", Argument: "<count>", Help: "Number of blocks (default: as many as --file has, else 128)"})
	p.Int(&cfg.BlockSize, 1, argp.Param{Long: "block-size", Argument: "<bytes>", Help: "Size of a block (default 4096)"})
	p.String(&cfg.File, argp.Param{Long: "file", Argument: "<path>", Help: "File that is the storage, in place of --binary-content: what is written stays in it. It is made if it is not there"})
	cfg.Sync = target.SyncStop
	p.String(nil, argp.Param{Long: "sync", Argument: "<mode>", Help: "With --file: when writes must be on its disk: never, stop (when the storage stops, the default) or write (before a write is acknowledged)", Set: func(s string) error {
		cfg.Sync = target.SyncMode(s)
		if !slices.Contains([]target.SyncMode{target.SyncNever, target.SyncStop, target.SyncWrite}, cfg.Sync) {
			return fmt.Errorf("%q is not never, stop or write", s)
		}
		return nil
	}})
	p.Int(&cfg.Sessions, 1, argp.Param{Long: "sessions", Argument: "<count>", Help: "BlueFields to serve, at the same time if they come so (default 1)"})
	app.Older(p, &cfg.Older)
	os.Exit(app.Main(p, name, func() []app.Field {
		if cfg.File == "" {
			cfg.BlockCount = cmp.Or(cfg.BlockCount, target.DefaultBlockCount)
		}
		return []app.Field{
			{Name: "cpu_set", Value: cfg.CPUs}, {Name: "device_id", Value: cfg.Device}, {Name: "listen_port", Value: cfg.Port},
			{Name: "binary_content_file", Value: cfg.Content}, {Name: "block_count", Value: cfg.BlockCount}, {Name: "block_size", Value: cfg.BlockSize},
			{Name: "file", Value: cfg.File}, {Name: "sync", Value: cfg.Sync}, {Name: "sessions", Value: cfg.Sessions}, {Name: "older_messages", Value: cfg.Older},
		}
	}, func(ctx context.Context) error {
		if cfg.File != "" && (cfg.Content != "" || cfg.Older) {
			return errors.New("--file goes neither with --binary-content nor with --older-messages (see --help)")
		}
		return target.Run(ctx, cfg, os.Stdout)
	}))
}
