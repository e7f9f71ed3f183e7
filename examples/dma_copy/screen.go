package main

import (
	"io"
	"os"
	"sync"
)

// screen keeps the lines of the log and the progress bar apart, which share a terminal.
var screen = display{terminal: os.Stderr}

type display struct {
	terminal io.Writer
	mu       sync.Mutex
	drawn    bool // there is a bar in the last line
}

// bar is where the progress bar is drawn.
func (d *display) bar() io.Writer { return barWriter{d} }

type barWriter struct{ *display }

func (w barWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drawn = true
	return w.terminal.Write(b)
}

// lines writes lines to out. The bar gives way, and is drawn anew below them when there is
// progress.
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
