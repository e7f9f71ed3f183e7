package core

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// LogFile is a named pipe for a library that logs to the path of a file. A function gets the lines.
type LogFile struct {
	mu   sync.Mutex
	pipe *logPipe
	path string
	mark <-chan struct{} // closed when the function has got all lines; nil: Close was not called
}

// NewLogFile makes the pipe and begins to read. deliver gets one line after the other.
func NewLogFile(path string, deliver func(LogLine)) (*LogFile, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // without it, it would wait for a writer
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	out, err := os.OpenFile(path, os.O_WRONLY, 0) // so that there is always a writer
	if err != nil {
		return nil, errors.Join(err, in.Close(), os.Remove(path))
	}
	everyLine := func(line string, now time.Time) (LogLine, bool) { return LogLine{Time: now, Text: line}, true }
	return &LogFile{pipe: startLogPipe(in, out, everyLine, deliver), path: path}, nil
}

// Close waits until the function has got what was written before, and removes the pipe. Lines that are written later are lost. After an
// error, it can be called again.
func (l *LogFile) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pipe == nil {
		return nil
	}
	if l.mark == nil {
		mark, err := l.pipe.mark()
		if err != nil {
			return err
		}
		l.mark = mark
	}
	if err := waitFor(ctx, l.mark); err != nil {
		return err
	}
	_ = l.pipe.in.Close() // a library may keep its end open: this ends the reader
	_ = l.pipe.out.Close()
	if err := waitFor(ctx, l.pipe.done); err != nil {
		return err
	}
	l.pipe = nil
	return os.Remove(l.path)
}
