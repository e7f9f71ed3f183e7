package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines do not run into the progress bar.
func TestDisplay(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	d := &display{terminal: &terminal}
	log := d.lines(&terminal)
	for _, step := range []struct {
		w    io.Writer
		text string
	}{{log, "one\n"}, {d.bar(), "\r50%"}, {log, "two\n"}, {log, "three\n"}, {d.bar(), "\r60%"}} {
		_, err := io.WriteString(step.w, step.text)
		require.NoError(t, err)
	}
	assert.Equal(t, "one\n\r50%\r\x1b[2Ktwo\nthree\n\r60%", terminal.String())
}

// A bar that is longer than the line would be drawn below itself each time.
func TestBarFits(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{64, 80, 200} {
		t.Run(fmt.Sprint(columns, " columns"), func(t *testing.T) {
			var drawn bytes.Buffer
			bar := newBar(&drawn, columns, 1023e9)
			for range 2 { // with a rate
				time.Sleep(110 * time.Millisecond)
				require.NoError(t, bar.Add64(511e9))
			}
			frames := strings.Split(drawn.String(), "\r")
			assert.Greater(t, len(frames), 2)
			for _, frame := range frames {
				assert.Less(t, utf8.RuneCountInString(frame), columns)
			}
			assert.Contains(t, drawn.String(), "copying")
		})
	}
}

// The rate counts from the beginning of the copy, not from the first bytes.
func TestFirstRate(t *testing.T) {
	t.Parallel()
	var drawn bytes.Buffer
	bar := newBar(&drawn, 80, 1e9)
	time.Sleep(110 * time.Millisecond)
	require.NoError(t, bar.Add64(1e6))
	assert.Regexp(t, `, [0-9.]+ [kM]?B/s\)`, drawn.String())
}
