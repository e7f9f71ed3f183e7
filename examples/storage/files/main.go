// Command files keeps files in a file system (FAT32) whose blocks are on another machine. It runs on a host with a BlueField, and
// reads and writes through package blockdev. The target holds an image that any system can mount. See docs/storage.md.
//
//	files -d b1:00.0 format
//	files -d b1:00.0 put local.txt /remote.txt
//	files -d b1:00.0 ls /
//	files -d b1:00.0 get /remote.txt copy.txt
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/diskfs/go-diskfs/filesystem/fat32"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/storage/blockdev"
)

func main() {
	var cfg blockdev.Config
	flag.StringVar(&cfg.Device, "d", "b1:00.0", "`device`: a PCI address, or the name of an IB device or of a network interface")
	flag.StringVar(&cfg.Channel, "channel", blockdev.DefaultChannel, "`name` of the server on the BlueField")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: files [flags] format | ls DIRECTORY | put LOCAL REMOTE | get REMOTE LOCAL")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	defer stop()
	if err := run(ctx, cfg, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// run carries out a command. If ctx ends, the command ends between two requests to the storage, and put between two pieces of its file, so
// that the file system stays whole. The session is ended as always.
func run(ctx context.Context, cfg blockdev.Config, args []string) (err error) {
	commands := map[string]struct {
		args int
		do   func(ctx context.Context, d *blockdev.Device, args []string) error
	}{"format": {0, format}, "ls": {1, list}, "put": {2, put}, "get": {2, get}}
	if len(args) == 0 {
		return errors.New("what is there to do? See -h")
	}
	c, ok := commands[args[0]]
	if !ok || len(args) != 1+c.args {
		return fmt.Errorf("%q is no command, or needs other arguments: see -h", args[0])
	}
	d, err := blockdev.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err = c.do(ctx, d, args[1:]); err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s was interrupted: %w", args[0], ctx.Err())
	}
	return err
}

// sector is the size of the file system's sectors, whatever the size of the storage's blocks.
const sector = 512

func format(ctx context.Context, d *blockdev.Device, _ []string) error {
	_, err := fat32.Create(newDisk(ctx, d), d.Size(), 0, sector, "GODOCA", false)
	return err
}

func open(ctx context.Context, d *blockdev.Device) (*fat32.FileSystem, error) {
	return fat32.Read(newDisk(ctx, d), d.Size(), 0, sector)
}

// inside returns a path as package fs wants it.
func inside(path string) string {
	return cmp.Or(strings.Trim(path, "/"), ".")
}

func list(ctx context.Context, d *blockdev.Device, args []string) error {
	fs, err := open(ctx, d)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(inside(args[0]))
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Printf("%12d %s\n", info.Size(), e.Name())
	}
	return nil
}

// put leaves what has been transferred so far in the remote file, if ctx ends.
func put(ctx context.Context, d *blockdev.Device, args []string) error {
	in, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { in.Close() })() // a pipe may have nothing for a long time
	fs, err := open(context.WithoutCancel(ctx), d)
	if err != nil {
		return err
	}
	out, err := fs.OpenFile(inside(args[1]), os.O_CREATE|os.O_RDWR|os.O_TRUNC)
	if err != nil {
		return err
	}
	return transfer(out, in)
}

// get removes the local file, if it cannot be written as a whole.
func get(ctx context.Context, d *blockdev.Device, args []string) error {
	fs, err := open(ctx, d)
	if err != nil {
		return err
	}
	in, err := fs.OpenFile(inside(args[0]), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { out.Close() })() // nobody may read from a pipe
	if err = transfer(out, in); err != nil {
		err = errors.Join(err, removeFile(args[1]))
	}
	return err
}

// removeFile removes a regular file: get may write to a pipe or a device, too.
func removeFile(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return os.Remove(path)
}

// transfer copies in large pieces, so that each is a few requests.
func transfer(to io.WriteCloser, from io.Reader) error {
	_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 1<<20))
	return errors.Join(err, to.Close())
}
