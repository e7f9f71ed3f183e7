package doctest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// ErrorRow is a row of a table in docs/errors.md: the first three cells, and what makes the errors.
type ErrorRow struct {
	Event, Calls string
	Is           string                     // what the errors are to errors.Is, such as "`io.EOF`, `doca.ErrNotConnected`"
	Errors       func(t *testing.T) []error // one for each call
}

// Row makes a row.
func Row(event, calls, is string, errs func(t *testing.T) []error) ErrorRow {
	return ErrorRow{Event: event, Calls: calls, Is: is, Errors: errs}
}

// errorNames are the errors that a row may name. A package adds its own.
var errorNames = map[string]error{
	"io.EOF":                  io.EOF,
	"context.Canceled":        context.Canceled,
	"doca.ErrAgain":           doca.ErrAgain,
	"doca.ErrAlreadyExist":    doca.ErrAlreadyExist,
	"doca.ErrBadState":        doca.ErrBadState,
	"doca.ErrClosed":          doca.ErrClosed,
	"doca.ErrFull":            doca.ErrFull,
	"doca.ErrInUse":           doca.ErrInUse,
	"doca.ErrInvalidValue":    doca.ErrInvalidValue,
	"doca.ErrIOFailed":        doca.ErrIOFailed,
	"doca.ErrNoMemory":        doca.ErrNoMemory,
	"doca.ErrNotConnected":    doca.ErrNotConnected,
	"doca.ErrNotFound":        doca.ErrNotFound,
	"doca.ErrNotSupported":    doca.ErrNotSupported,
	"doca.ErrTimeOut":         doca.ErrTimeOut,
	"doca.ErrTooBig":          doca.ErrTooBig,
	"doca.ErrUnexpected":      doca.ErrUnexpected,
	"doca.ErrConnectionReset": doca.ErrConnectionReset,

	"doca.ErrConnectionAborted": doca.ErrConnectionAborted,
}

// ErrorsPage checks that a section of docs/errors.md has these rows and no others, and that each
// row is true: the errors are what it names, and nothing else that a row can name.
func ErrorsPage(t *testing.T, section string, names map[string]error, rows []ErrorRow) {
	t.Helper()
	for name, err := range errorNames {
		if names[name] == nil {
			names[name] = err
		}
	}
	var want []string
	for _, r := range rows {
		want = append(want, fmt.Sprintf("| %s | %s | %s |", r.Event, r.Calls, r.Is))
	}
	assert.Equal(t, want, pageRows(t, section), "the rows of docs/errors.md, %s", section)
	for _, r := range rows {
		t.Run(r.Event, func(t *testing.T) {
			errs := r.Errors(t)
			calls := strings.Split(r.Calls, ", ")
			require.Len(t, errs, len(calls), "the errors of %s", r.Calls)
			for i, err := range errs {
				assert.Error(t, err, calls[i])
				for name, target := range names {
					listed := strings.Contains(", "+r.Is+",", ", `"+name+"`,")
					assert.Equal(t, listed, errors.Is(err, target), "%s is %s: %v", calls[i], name, err)
				}
			}
		})
	}
}

// pageRows returns the first three cells of each row of a section's table.
func pageRows(t *testing.T, section string) (rows []string) {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	page, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../../docs/errors.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "\n## "+section+"\n")
	require.True(t, found, "docs/errors.md has no section %q", section)
	rest, _, _ = strings.Cut(rest, "\n## ")
	for line := range strings.Lines(rest) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 4 || strings.HasPrefix(line, "| What happened") {
			continue
		}
		rows = append(rows, strings.Join(cells[:3], " | ")+" |")
	}
	return rows
}
