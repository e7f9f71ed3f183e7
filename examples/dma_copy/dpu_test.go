package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// If there is nothing to copy, both sides say so, and neither has a new file.
func TestNothingToCopy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes     []int64
		dpu, host string
	}{
		"both":    {[]int64{5, 6}, "the host has the file as well", "both sides have the file"},
		"neither": {nil, "the host does not have the file either", "neither side has the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			for i, n := range c.sizes {
				write(t, []string{p.host, p.dpu}[i]+"/f", n)
			}
			before := fmt.Sprint(names(t, p.host), names(t, p.dpu))
			dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
			dpu.ends(t, 1, c.dpu)
			host.ends(t, 1, c.host)
			assert.Equal(t, before, fmt.Sprint(names(t, p.host), names(t, p.dpu)))
		})
	}
}

// TestBadHost runs the program on the DPU with hosts that break the rules. The program says in
// one line what is wrong, tells the host, and leaves no file.
func TestBadHost(t *testing.T) {
	file := []any{extended(direct), await{direction{}}, fileInfo{mode: 0o644, size: 10}}
	ready := append(file[:3:3], await{resume{}}, start{}, exportOf{1 << 20})
	sends := []any{extended(direction{}), await{direction{}}, await{fileInfo{}}, resume{}, await{start{}}, exportOf{1 << 20}}
	for _, c := range []struct {
		name   string
		want   string
		script script
	}{
		{"three bytes", "a message of 3 bytes, which is too short", script{[]byte("abc"), told{reasonMessage}}},
		{"garbage", "the unknown type", script{bytes.Repeat([]byte{0xee}, 4080), told{reasonMessage}}},
		{"direction too short", "with 15 bytes, not 16", script{cut(direct, 15), told{reasonMessage}}},
		{"direction too long", "with 17 bytes, not 16", script{cut(direct, 17), told{reasonMessage}}},
		{"status first", "out of order", script{status{ok: true}, told{reasonMessage}}},
		{"descriptor first", "out of order", script{exportDescriptor{desc: []byte{1}}, told{reasonMessage}}},
		{"leaves at once", "the other side left before the copy was complete", script{leave{}}},
		{"leaves later", "the other side left before the copy was complete", script{direct, await{direction{}}, leave{}}},
		{"says nothing", "the other side has sent nothing for 5s", script{nothing{}, told{reasonTimeout}}},
		{"gives up", "the other side has given up: it gives no reason", script{dirty(status{})}},
		{"a reason of the future", "its reason has the number 200, which this release", script{status{reason: 200}}},
		{"descriptor too short", "an export descriptor's message of 23 bytes", script{direct, await{direction{}}, cut(exportDescriptor{}, 23), told{reasonMessage}}},
		{"descriptor of a false length", "an export descriptor of 5 bytes in a message that holds 4", script{direct, await{direction{}}, cut(exportDescriptor{desc: []byte("12345")}, 28), told{reasonMessage}}},
		{"descriptor is garbage", "the descriptor is damaged", script{direct, await{direction{}}, exportDescriptor{desc: bytes.Repeat([]byte{7}, 100)}, told{reasonDMA}}},
		{"memory too small", "has exported 5 bytes", script{direct, await{direction{}}, exportOf{5}, told{reasonMessage}}},
		{"one larger than a DMA", "the file has 2097153 bytes", script{direction{inHost: true, size: 2<<20 + 1}, told{reasonTooLarge}}},
		{"empty, from C", "the file is empty", script{direction{inHost: true}, told{reasonEmpty}}},
		{"pass in place of file", "out of order", script{extended(direct), await{direction{}}, pass{}, told{reasonMessage}}},
		{"a negative size", "a file size of 18446744073709551615", script{extended(direct), await{direction{}}, fileInfo{size: 1<<64 - 1}, told{reasonMessage}}},
		{"begins elsewhere", "wants to begin at 5, not at 0", script(append(file[:3:3], await{resume{}}, start{offset: 5}, told{reasonMessage}))},
		{"window outside", "has passed 10 bytes at 1048570 of a memory of 1048576", script(append(ready[:6:6], pass{at: 1<<20 - 6, len: 10}, told{reasonMessage}))},
		{"window far outside", "of a memory of 1048576", script(append(ready[:6:6], pass{at: 1<<64 - 5, len: 10}, told{reasonMessage}))},
		{"empty window", "has passed 0 bytes", script(append(ready[:6:6], pass{}, told{reasonMessage}))},
		{"wrong part", "out of order", script(append(ready[:6:6], pass{offset: 3, len: 5}, told{reasonMessage}))},
		{"ends early", "the file was damaged on the way", script(append(ready[:6:6], pass{len: 5}, await{pass{}}, end{size: 5}, told{reasonChecksum}))},
		{"wrong checksum", "the file was damaged on the way", script(append(ready[:6:6], pass{len: 10}, await{pass{}}, end{size: 10, crc: 1}, told{reasonChecksum}))},
		{"more than the file", "more than the 10 bytes of the file", script(append(ready[:6:6], pass{len: 20}, told{reasonMessage}))},
		{"leaves in the middle", "the other side left before the copy was complete", script(append(ready[:6:6], pass{len: 5}, await{pass{}}, leave{}))},
		{"file in place of a window", "out of order", script(append(sends[:6:6], fileInfo{}, told{reasonMessage}))},
		{"no window", "the other side has sent nothing for 5s", script(append(sends[:6:6], nothing{}, told{reasonTimeout}))},
		{"gives up at the end", "it cannot write the file", script(append(sends[:6:6], pass{len: 100}, await{pass{}}, status{reason: reasonDestination}))},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if first, ok := c.script[0].(direction); ok && !first.inHost {
				write(t, dir+"/f", 10)
			}
			before := names(t, dir)
			dpu := launch(t, "-p 03:00.0 -r b1:00.0 --timeout "+patience(c.want)+" -f "+dir+"/f")
			dev, err := doca.OpenDevice("b1:00.0")
			require.NoError(t, err)
			defer dev.Close()
			conn, err := comch.Dial(t.Context(), dev, serverName, comch.Config{})
			require.NoError(t, err)
			c.script.play(t, conn)
			dpu.ends(t, 1, c.want)
			assert.Equal(t, before, names(t, dir))
		})
	}
}
