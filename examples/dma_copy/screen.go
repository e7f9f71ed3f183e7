package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// screen keeps the lines of the log apart from the progress bar, with which they share a
// terminal.
var screen = display{terminal: os.Stderr}

type display struct {
	terminal io.Writer
	mu       sync.Mutex
	drawn    bool // there is a bar in the last line
}

// bar returns the writer that the progress bar is drawn on.
func (d *display) bar() io.Writer { return barWriter{d} }

type barWriter struct{ *display }

func (w barWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drawn = true
	return w.terminal.Write(b)
}

// newBar makes a progress bar for n bytes that fits in one line of a terminal.
func newBar(out io.Writer, columns int, n int64) *progressbar.ProgressBar {
	const beside = len("copying 100% || (1023 MB/1023 GB, 1023 MB/s) [59m59s:59m59s]")
	bar := progressbar.NewOptions64(n, progressbar.OptionSetDescription("copying"), progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(), progressbar.OptionSetWidth(min(30, max(1, columns-1-beside))), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWriter(out))
	bar.StartWithoutRender() // or the first bytes would have taken no time
	return bar
}

// lines returns a writer of lines to out. The bar gives way to them, and is drawn again below
// when there is progress.
func (d *display) lines(out io.Writer) io.Writer { return lineWriter{d, out} }

type lineWriter struct {
	*display
	out io.Writer
}

func (w lineWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drawn {
		_, _ = io.WriteString(w.terminal, "\r\x1b[2K")
		w.drawn = false
	}
	return w.out.Write(b)
}
