package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/diskfs/go-diskfs/backend"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/blockdev"
)

// disk makes a storage look like a disk to the file system's package. When ctx ends, reads and writes fail.
type disk struct {
	*io.SectionReader
	device
}

func newDisk(ctx context.Context, d *blockdev.Device) disk {
	until := device{ctx, d}
	return disk{io.NewSectionReader(until, 0, d.Size()), until}
}

// ReadAt reads from the storage.
func (d disk) ReadAt(p []byte, off int64) (int, error) { return d.SectionReader.ReadAt(p, off) }

// device is a storage that can be used until a context ends.
type device struct {
	ctx context.Context
	d   *blockdev.Device
}

// ReadAt reads from the storage.
func (d device) ReadAt(p []byte, off int64) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.d.ReadAt(p, off)
}

// WriteAt writes to the storage.
func (d device) WriteAt(p []byte, off int64) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.d.WriteAt(p, off)
}

// Close does nothing: the storage is closed at the end of the program.
func (d disk) Close() error { return nil }

// Stat describes the storage as a file.
func (d disk) Stat() (fs.FileInfo, error) { return info{d.d}, nil }

// Sys returns an error: there is no file of the operating system behind the storage.
func (d disk) Sys() (*os.File, error) { return nil, doca.ErrNotSupported }

// Writable returns the disk.
func (d disk) Writable() (backend.WritableFile, error) { return d, nil }

// Path returns "".
func (d disk) Path() string { return "" }

type info struct{ d *blockdev.Device }

func (i info) Name() string       { return "storage" }
func (i info) Size() int64        { return i.d.Size() }
func (i info) Mode() fs.FileMode  { return 0o600 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
