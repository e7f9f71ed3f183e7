package dma_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
)

func TestCopyFile(t *testing.T) {
	b := newBench(t, 8)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for _, n := range []int{0, 1, 4096, 5<<20 + 3} {
		check(t, os.WriteFile(src, content(n), 0o600))
		check(t, os.Chmod(src, 0o751))
		got, err := b.dma.CopyFile(t.Context(), dst, src)
		if err != nil || got != int64(n) || !bytes.Equal(must(os.ReadFile(dst))(t), content(n)) {
			t.Fatalf("%d bytes: %d, %v", n, got, err)
		}
		if mode := must(os.Stat(dst))(t).Mode(); mode != 0o751 {
			t.Errorf("the mode is %v", mode)
		}
	}
	// A copy that fails leaves the destination as it is, and nothing else.
	check(t, os.WriteFile(dst, []byte("old"), 0o600))
	faults(t, "fail-task=3")
	_, err := b.dma.CopyFile(t.Context(), dst, src)
	wantErr(t, err, doca.ErrIOFailed)
	if got := string(must(os.ReadFile(dst))(t)); got != "old" {
		t.Errorf("the destination is %q", got)
	}
	check(t, b.dma.Start(t.Context()))
	_, err = b.dma.CopyFile(t.Context(), dst, dir)
	wantErr(t, err, doca.ErrInvalidValue, "is not a regular file")
	_, err = b.dma.CopyFile(t.Context(), dst, filepath.Join(dir, "none"))
	wantErr(t, err, os.ErrNotExist)
	_, err = b.dma.CopyFile(t.Context(), filepath.Join(dir, "none", "dst"), src)
	wantErr(t, err, os.ErrNotExist)
	if left := must(os.ReadDir(dir))(t); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}

// Memory that CopyFile cannot close, closing the DMA closes.
func TestCopyFileThatCannotClose(t *testing.T) {
	open := len(doca.OpenObjects())
	b := newBench(t, 8)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	check(t, os.WriteFile(src, content(1000), 0o600))
	faults(t, "fail-call=doca_mmap_destroy:3") // the first two are those of streams
	_, err := b.dma.CopyFile(t.Context(), dst, src)
	wantErr(t, err, doca.ErrDriver, "doca_mmap_destroy")
	faults(t, "")
	for _, c := range []interface{ Close() error }{b.dma, b.pe, b.inv, b.mem} {
		check(t, c.Close())
	}
	assert.Len(t, doca.OpenObjects(), open+1, "the device")
}

// Names may be as long as the file system lets them.
func TestCopyFileLongName(t *testing.T) {
	b := newBench(t, 8)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, strings.Repeat("n", 255))
	check(t, os.WriteFile(src, content(1000), 0o600))
	must(b.dma.CopyFile(t.Context(), dst, src))(t)
	if !bytes.Equal(must(os.ReadFile(dst))(t), content(1000)) {
		t.Error("the copy differs")
	}
	_, err := b.dma.CopyFile(t.Context(), dst+"n", src)
	wantErr(t, err, syscall.ENAMETOOLONG)
}

// What is not a file is not copied, and not replaced.
func TestCopyFileIrregular(t *testing.T) {
	b := newBench(t, 8)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	check(t, os.WriteFile(path("src"), content(1000), 0o600))
	check(t, os.Mkdir(path("dir"), 0o700))
	check(t, syscall.Mkfifo(path("fifo"), 0o600))
	l := must(net.Listen("unix", path("socket")))(t)
	defer l.Close()
	check(t, os.Symlink("dir", path("to dir")))
	check(t, os.Symlink("fifo", path("to fifo")))
	check(t, os.Symlink("nothing", path("to nothing")))

	for _, name := range []string{"dir", "fifo", "socket", "to dir", "to fifo"} {
		t.Run(name, func(t *testing.T) {
			before := must(os.Lstat(path(name)))(t)
			ended := make(chan error, 1)
			go func() {
				_, err := b.dma.CopyFile(t.Context(), path("dst"), path(name))
				ended <- err
			}()
			select {
			case err := <-ended:
				wantErr(t, err, doca.ErrInvalidValue, "the source "+path(name)+" is not a regular file", "CopyThrough")
			case <-time.After(20 * time.Second):
				t.Errorf("CopyFile from %s hangs", name)
				must(os.OpenFile(path("fifo"), os.O_RDWR, 0))(t).Close() // lets it go on
				<-ended
			}
			word := "is not a regular file"
			if strings.HasSuffix(name, "dir") {
				word = "is a directory: give the path of a file in it"
			}
			_, err := b.dma.CopyFile(t.Context(), path(name), path("src"))
			wantErr(t, err, doca.ErrInvalidValue, "the destination", word)
			if after := must(os.Lstat(path(name)))(t); !os.SameFile(before, after) {
				t.Errorf("%s was replaced", name)
			}
		})
	}
	_, err := b.dma.CopyFile(t.Context(), path("to nothing"), path("src"))
	wantErr(t, err, os.ErrNotExist, "nothing")
	_, err = b.dma.CopyFile(t.Context(), "", path("src"))
	wantErr(t, err, doca.ErrInvalidValue, "give the paths of both files")
	_, err = b.dma.CopyFile(t.Context(), path("dst"), "")
	wantErr(t, err, doca.ErrInvalidValue, "give the paths of both files")
	if left := must(os.ReadDir(dir))(t); len(left) != 7 {
		t.Errorf("left: %v", left)
	}
}

// A link stays, and what it points to is replaced, not changed.
func TestCopyFileLinks(t *testing.T) {
	b := newBench(t, 8)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "other", "dst")
	check(t, os.Mkdir(filepath.Dir(dst), 0o700))
	check(t, os.WriteFile(src, content(1000), 0o600))
	check(t, os.WriteFile(dst, []byte("old"), 0o600))
	check(t, os.Link(dst, filepath.Join(dir, "hard")))
	check(t, os.Symlink("other/dst", filepath.Join(dir, "one")))
	check(t, os.Symlink("one", filepath.Join(dir, "two")))

	must(b.dma.CopyFile(t.Context(), filepath.Join(dir, "two"), src))(t)
	if to := must(os.Readlink(filepath.Join(dir, "two")))(t); to != "one" {
		t.Errorf("the link points to %s", to)
	}
	if info := must(os.Lstat(dst))(t); !info.Mode().IsRegular() || !bytes.Equal(must(os.ReadFile(dst))(t), content(1000)) {
		t.Error("what the link points to was not replaced")
	}
	if got := string(must(os.ReadFile(filepath.Join(dir, "hard")))(t)); got != "old" {
		t.Errorf("the other hard link has %q", got)
	}
	must(b.dma.CopyFile(t.Context(), filepath.Join(dir, "copy"), filepath.Join(dir, "two")))(t)
	must(b.dma.CopyFile(t.Context(), src, src))(t)
	for _, name := range []string{"copy", "src"} {
		if !bytes.Equal(must(os.ReadFile(filepath.Join(dir, name)))(t), content(1000)) {
			t.Errorf("%s differs", name)
		}
	}
}
