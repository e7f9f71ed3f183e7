package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/go-doca/go-doca/doca"
)

// transfer is one copy, as one side sees it. src is set on the side that has the file, dst on
// the side that gets it.
type transfer struct {
	peer *peer
	cfg  config
	dev  *doca.Device
	src  *source
	dst  *destination
	mem  *doca.Memory // the host's, exported there and imported on the DPU

	size  int64       // of the file
	mode  fs.FileMode // of the new file
	sum   *checksum   // of what was read or written
	from  int64       // where it goes on after an interrupted copy
	bar   *progressbar.ProgressBar
	began time.Time
}

// agree settles, between two Go programs, what is copied and where the copy begins. The
// receiver says what it has, and the source says whether its file begins with that.
func (t *transfer) agree(ctx context.Context) error {
	t.sum = newChecksum(t.cfg.sha256)
	var err error
	if t.src != nil {
		err = t.agreeAsSource(ctx)
	} else {
		err = t.agreeAsReceiver(ctx)
	}
	if err == nil && t.sum.n > 0 {
		slog.Info(fmt.Sprintf("Going on after the first %d bytes, which are there already", t.sum.n))
	}
	return err
}

func (t *transfer) agreeAsSource(ctx context.Context) error {
	t.size = t.src.size
	if err := t.peer.send(ctx, fileInfo{mode: uint32(t.src.mode), size: uint64(t.size)}); err != nil {
		return err
	}
	there, err := expect[resume](ctx, t.peer)
	if err != nil {
		return err
	}
	if n := int64(there.offset); n > 0 && n <= t.size {
		if err := t.sumUp(ctx, t.src.File, n); err != nil {
			return because(reasonSource, err)
		}
	}
	if t.sum.n != int64(there.offset) || t.sum.crc != there.crc { // the part is of another file
		t.sum = newChecksum(t.cfg.sha256)
		if _, err := t.src.Seek(0, io.SeekStart); err != nil {
			return because(reasonSource, err)
		}
	}
	return t.peer.send(ctx, start{offset: uint64(t.sum.n)})
}

func (t *transfer) agreeAsReceiver(ctx context.Context) error {
	file, err := expect[fileInfo](ctx, t.peer)
	if err != nil {
		return err
	}
	if t.size = int64(file.size); t.size < 0 {
		return failf(reasonMessage, "the other side has sent a file size of %d bytes", file.size)
	}
	t.mode = fs.FileMode(file.mode).Perm()
	if t.dst, err = createDestination(t.cfg.file, t.cfg.resume); err != nil {
		return err
	}
	if n, err := t.dst.size(); err != nil {
		return err
	} else if n <= t.size {
		if err := t.sumUp(ctx, t.dst.f, n); err != nil {
			return because(reasonDestination, err)
		}
	}
	if err := t.peer.send(ctx, resume{crc: t.sum.crc, offset: uint64(t.sum.n)}); err != nil {
		return err
	}
	begin, err := expect[start](ctx, t.peer)
	switch {
	case err != nil:
		return err
	case begin.offset == 0:
		t.sum = newChecksum(t.cfg.sha256)
	case begin.offset != uint64(t.sum.n):
		return failf(reasonMessage, "the other side wants to begin at %d, not at %d", begin.offset, t.sum.n)
	}
	return t.dst.startAt(t.sum.n)
}

// sumUp adds the next n bytes of a file, which an earlier copy has copied, to the checksum.
func (t *transfer) sumUp(ctx context.Context, f *os.File, n int64) error {
	if n == 0 {
		return nil
	}
	slog.Info(fmt.Sprintf("Checking the first %d bytes, which may be there already", n))
	return t.peer.working(ctx, func(ctx context.Context) error {
		_, err := io.CopyN(t.sum, during{ctx, f}, n)
		if errors.Is(err, io.EOF) {
			err = tooShort(f, n)
		}
		return err
	})
}

// during is a reader that fails once its context has ended.
type during struct {
	ctx context.Context
	io.Reader
}

func (d during) Read(b []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.Reader.Read(b)
}

// ready starts the clock and the progress bar.
func (t *transfer) ready() {
	slog.Info(fmt.Sprintf("The file size is %d", t.size))
	if t.sum == nil {
		t.sum = newChecksum(t.cfg.sha256)
	}
	t.from, t.began = t.sum.n, time.Now()
	t.bar = progressbar.DefaultBytesSilent(t.size - t.from)
	if columns, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil { // it is a terminal
		t.bar = newBar(screen.bar(), columns, t.size-t.from)
	}
}

// shown moves the progress bar. The copy does not depend on the bar, so its errors are
// ignored.
type shown struct{ bar *progressbar.ProgressBar }

func (s shown) Write(b []byte) (int, error) {
	_ = s.bar.Add(len(b))
	return len(b), nil
}

// reader returns a reader of the file. What it has read counts as copied.
func (t *transfer) reader() io.Reader {
	return busyReader{t.peer, io.TeeReader(t.src.reader(t.sum), shown{t.bar})}
}

// writer returns a writer of the file. What it has written counts as copied.
func (t *transfer) writer() io.Writer {
	return busyWriter{t.peer, io.MultiWriter(t.dst.writer(t.sum), shown{t.bar})}
}

// busyReader notes that this side is at its file while it reads.
type busyReader struct {
	peer *peer
	io.Reader
}

func (r busyReader) Read(b []byte) (int, error) {
	defer r.peer.atFile()()
	return r.Reader.Read(b)
}

// busyWriter notes that this side is at its file while it writes.
type busyWriter struct {
	peer *peer
	io.Writer
}

func (w busyWriter) Write(b []byte) (int, error) {
	defer w.peer.atFile()()
	return w.Writer.Write(b)
}

// follows checks that the part of the file that the source passes begins at offset and does
// not go beyond the end.
func (t *transfer) follows(m pass, offset uint64) error {
	if m.offset != offset {
		return unexpected(m)
	}
	if m.len > uint64(t.size)-offset {
		return failf(reasonMessage, "the other side has sent more than the %d bytes of the file", t.size)
	}
	return nil
}

// finish ends a copy between two Go programs at the receiver. If the file is what the source
// has sent, the file gets its name, and the source is told.
func (t *transfer) finish(ctx context.Context, e end) error {
	if int64(e.size) != t.size || t.sum.n != t.size || e.crc != t.sum.crc {
		err := failf(reasonChecksum, "the file was damaged on the way: %d bytes with the CRC-32C %08x, not %d with %08x: copy it again", t.sum.n, t.sum.crc, e.size, e.crc)
		return errors.Join(err, t.dst.discard())
	}
	if err := t.peer.working(ctx, t.commit); err != nil {
		return err
	}
	if t.peer.conn.Server() != nil {
		return t.succeeded(ctx)
	}
	if err := t.peer.send(ctx, status{ok: true}); err != nil {
		return err
	}
	return t.hearFinal(ctx)
}

// commit flushes the file to the disk and gives it its name, unless ctx has ended by then.
func (t *transfer) commit(ctx context.Context) error {
	slog.Info("Writing DMA buffer into a file on " + t.cfg.file)
	if err := t.dst.store(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return outOfTime(ctx, nil, "", 0)
	}
	return t.dst.commit(t.mode)
}

// succeeded tells the host that the copy is complete. The DPU says so, whatever the direction.
func (t *transfer) succeeded(ctx context.Context) error { return t.peer.send(ctx, status{ok: true}) }

// hearFinal waits for that message, on the host.
func (t *transfer) hearFinal(ctx context.Context) error {
	_, err := expect[status](ctx, t.peer)
	if err != nil {
		return err
	}
	return t.heardFinal()
}

func (t *transfer) heardFinal() error {
	slog.Info("Final status message was successfully received")
	return nil
}

// report logs what was copied, and how fast.
func (t *transfer) report() {
	_ = t.bar.Finish()
	took := time.Since(t.began).Seconds()
	slog.Info(fmt.Sprintf("Copied %d bytes in %.3f s, %s, %v", t.size-t.from, took, rate(float64(t.size-t.from)/took), t.sum))
	if t.src != nil && t.src.changed() {
		slog.Warn(fmt.Sprintf("%s was written to during the copy, so the copy may be part old and part new: copy it again", t.cfg.file))
	}
}

func rate(bytesPerSecond float64) string {
	switch {
	case bytesPerSecond >= 1e8:
		return fmt.Sprintf("%.2f GB/s", bytesPerSecond/1e9)
	case bytesPerSecond >= 1e5:
		return fmt.Sprintf("%.2f MB/s", bytesPerSecond/1e6)
	}
	return fmt.Sprintf("%.2f kB/s", bytesPerSecond/1e3)
}

// release removes the progress bar, gives up a file that is not complete and frees the memory.
func (t *transfer) release() error {
	if t.bar != nil {
		_ = t.bar.Exit()
	}
	t.dst.release()
	if t.mem == nil {
		return nil
	}
	return t.mem.Close()
}
