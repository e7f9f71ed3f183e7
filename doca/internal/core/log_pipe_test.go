package core_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca/internal/core"
)

const logHead = "[12:29:59:000017][77][DOCA][ERR][a.c:1][f] "

// texts returns a pipe and what it has delivered, to be read after Flush or Close.
func texts(t *testing.T) (core.LogPipe, *[]string) {
	got := new([]string)
	return must(core.NewLogPipe(func(l core.LogLine) { *got = append(*got, fmt.Sprintf("%d %s", l.Level, l.Text)) }))(t), got
}

func TestLogPipe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"lines":                    {logHead + "one\n" + logHead + "two\n", []string{"30 one", "30 two"}},
		"a message of three lines": {logHead + "one\nand\nmore\n" + logHead + "two\n", []string{"30 one\nand\nmore", "30 two"}},
		"no head":                  {"one\n", []string{"0 one"}},
		"no end":                   {logHead + "one", []string{"30 one"}},
		"no UTF-8":                 {logHead + "o\xffne\n", []string{"30 o\uFFFDne"}},
		"too long":                 {logHead + strings.Repeat("x", 100000) + "\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, got := texts(t)
			check(t, p.Write(c.text))
			p.Close()
			if c.want == nil {
				assert.Equal(t, 100000, strings.Count(strings.Join(*got, ""), "x"))
				return
			}
			assert.Equal(t, c.want, *got)
		})
	}
	t.Run("a line that comes in two pieces", func(t *testing.T) {
		t.Parallel()
		p, got := texts(t)
		check(t, p.Write(logHead+"one "))
		check(t, p.Flush()) // its marker is in the line
		check(t, p.Write("two\n"))
		check(t, p.Flush())
		assert.Equal(t, []string{"30 one two"}, *got)
		p.Close()
	})
}

// A function that blocks delays nobody who writes. Later it gets the messages in order, and how many
// were dropped.
func TestLogPipeWithSlowFunction(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var got []string
	p := must(core.NewLogPipe(func(l core.LogLine) {
		<-release
		got = append(got, l.Text)
	}))(t)
	const n = 20000 // more than wait, and than a pipe holds
	for i := range n {
		check(t, p.Write(fmt.Sprintf("%s%d\n", logHead, i)))
	}
	close(release)
	p.Close()
	require.Less(t, len(got), n)
	next, dropped := 0, 0
	for _, text := range got {
		if count, ok := strings.CutSuffix(text, " messages of DOCA were dropped: the log handler was too slow"); ok {
			lost := must(strconv.Atoi(count))(t)
			next, dropped = next+lost, dropped+lost
			continue
		}
		require.Equal(t, fmt.Sprint(next), text)
		next++
	}
	assert.Equal(t, n, next)
	assert.Positive(t, dropped)
}

// A function that panics, or ends its goroutine, gets the next message all the same.
func TestLogPipeWithBrokenFunction(t *testing.T) {
	t.Parallel()
	var got []string
	p := must(core.NewLogPipe(func(l core.LogLine) {
		got = append(got, l.Text)
		switch l.Text {
		case "panic":
			panic("on purpose")
		case "goexit":
			runtime.Goexit()
		}
	}))(t)
	for _, text := range []string{"panic", "goexit", "panic", "goexit", "good"} {
		check(t, p.Write(logHead+text+"\n"))
	}
	check(t, p.Flush())
	assert.Equal(t, []string{"panic", "goexit", "panic", "goexit", "good"}, got)
	p.Close()
}
