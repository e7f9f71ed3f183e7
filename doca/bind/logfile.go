package bind

import (
	"context"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// LogFile is a named pipe that stands for a file, for a library of DOCA that writes a log to the path of a file. The package gets the
// lines. The library never waits for it: lines that come while 16384 wait are dropped, and a line says how many.
type LogFile struct{ l *core.LogFile }

// NewLogFile makes the pipe. deliver gets one line after the other, on a goroutine of its own, and the time when it came; it may
// block. NewLogFile returns ErrInvalidValue if deliver is nil, and the errors of the system, such as that the path exists.
func NewLogFile(path string, deliver func(at time.Time, line string)) (*LogFile, error) {
	if deliver == nil {
		return nil, core.Fail("log", path, doca.ErrInvalidValue, "the function is nil")
	}
	l, err := core.NewLogFile(path, func(line core.LogLine) { deliver(line.Time, line.Text) })
	if err != nil {
		return nil, core.Fail("log", path, err, "")
	}
	return &LogFile{l}, nil
}

// Close waits until deliver has returned from all lines that were written before, and removes the pipe. Call it when the library has
// closed the file. If ctx ends first, it returns ctx.Err(), and can be called again. A second Close does nothing.
func (l *LogFile) Close(ctx context.Context) error {
	if l == nil || l.l == nil {
		return none("close", "log file", "make one with bind.NewLogFile")
	}
	if err := NeedContext(ctx, "close", nil); err != nil {
		return err
	}
	return l.l.Close(ctx)
}
