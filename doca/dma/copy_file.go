package dma

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// CopyFile copies the regular file src to the path dst on this machine, with DMA. It returns the
// number of bytes copied, also with an error.
//
// The copy has the permission bits of src, and the caller owns it. CopyFile writes to a temporary
// file in the directory of dst, whose name begins with ".dma-copy-", and renames it to dst when it
// is complete and on the disk. So an existing file is replaced, not changed: its other hard links,
// and programs that have it open, keep the old content. If the copy fails, dst stays as it was. If
// dst is a symbolic link, the file that it points to is replaced, and the link stays. src and dst
// may be the same file.
//
// Errors: ErrInvalidValue for an empty path, if src is not a regular file, and if dst exists and is
// not one, such as a directory, a FIFO or a device; an [*fs.PathError] or [*os.LinkError] of the
// file system, such as [fs.ErrNotExist] for a link that points to nothing; and those of
// [DMA.CopyThrough]. Calls doca_dma_task_memcpy_alloc_init and doca_task_submit. What could not be
// closed at the end, closing the DMA closes.
func (d *DMA) CopyFile(ctx context.Context, dst, src string) (int64, error) {
	if d == nil || d.c == nil {
		return 0, noDMA("copy file")
	}
	if err := bind.NeedContext(ctx, "copy file", d.c.link); err != nil {
		return 0, err
	}
	if dst == "" || src == "" {
		return 0, d.c.fail(doca.ErrInvalidValue, fmt.Sprintf("from %q to %q: give the paths of both files", src, dst))
	}
	from, info, err := d.c.openSource(src)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if dst, err = d.c.destination(dst); err != nil {
		return 0, err
	}
	to, err := os.CreateTemp(filepath.Dir(dst), ".dma-copy-*") // a short name, so that it fits wherever that of dst does
	if err != nil {
		return 0, err
	}
	n, err := d.copyHere(ctx, to, from)
	if err == nil {
		err = to.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = to.Sync()
	}
	if closeErr := to.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(to.Name(), dst)
	}
	if err != nil {
		return n, errors.Join(err, os.Remove(to.Name()))
	}
	return n, nil
}

// openSource opens a file to copy from. If it is a FIFO, it does not wait for its other end.
func (c *core) openSource(path string) (*os.File, fs.FileInfo, error) {
	irregular := func() error {
		return c.fail(doca.ErrInvalidValue, fmt.Sprintf("the source %s is not a regular file: use CopyThrough to copy what it gives", path))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket
		return nil, nil, irregular()
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular()
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// destination follows the symbolic links of a path and returns the path of the file to replace.
func (c *core) destination(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Lstat(path)
		}
	}
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", c.fail(doca.ErrInvalidValue, fmt.Sprintf("the destination %s is a directory: give the path of a file in it", path))
	case !info.Mode().IsRegular():
		return "", c.fail(doca.ErrInvalidValue, fmt.Sprintf("the destination %s is not a regular file, and the copy would replace it: give another path, or write to it with CopyThrough", path))
	}
	return path, nil
}

// copyHere is CopyThrough with memory that it allocates.
func (d *DMA) copyHere(ctx context.Context, w io.Writer, r io.Reader) (n int64, err error) {
	mem, err := doca.NewMemory(DefaultStreamBuffers*DefaultStreamBufferSize, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.c.closeLater(mem.Close)) }()
	return d.CopyThrough(ctx, w, mem, r)
}
