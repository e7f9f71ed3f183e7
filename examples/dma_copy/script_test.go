package main

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// script is what a peer does that is not this program: it sends messages, and waits for them.
type script []any

// The words of a script beside messages and bytes to send.
type (
	await    struct{ m message }     // receive a message of the type
	until    struct{ m message }     // receive messages until there is one of the type
	exportOf struct{ size int }      // send the descriptor of memory
	leave    struct{}                // end the connection
	nothing  struct{}                // send nothing more
	told     struct{ reason reason } // receive a status that tells of a failure
)

var direct = direction{inHost: true, size: 10}

func extended(m direction) direction { m.extended = true; return m }

func cut(m message, n int) []byte { return append(m.encode(), 0, 0)[:n] }

// C's padding is whatever was in memory.
func dirty(m message) []byte {
	b := m.encode()
	copy(b[5:8], "\xff\xfe\xfd")
	return b
}

// TestBadHost runs the program on the DPU with hosts that do not keep to the rules. It says
// in one line what is wrong, tells the host, and leaves no file.
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
		{"says nothing", "the other side has sent nothing for 1s", script{nothing{}, told{reasonTimeout}}},
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
		{"no window", "the other side has sent nothing for 1s", script(append(sends[:6:6], nothing{}, told{reasonTimeout}))},
		{"gives up at the end", "it cannot write the file", script(append(sends[:6:6], pass{len: 100}, await{pass{}}, status{reason: reasonDestination}))},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if first, ok := c.script[0].(direction); ok && !first.inHost {
				write(t, dir+"/f", 10)
			}
			before := names(t, dir)
			dpu := launch(t, "-p 03:00.0 -r b1:00.0 --timeout 1 -f "+dir+"/f")
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

// TestBadDPU is the same with DPUs.
func TestBadDPU(t *testing.T) {
	receives := script{await{direction{}}, extended(direct), fileInfo{mode: 0o644, size: 10}, await{resume{}}, start{}, await{exportDescriptor{}}, await{pass{}}}
	sends := script{await{direction{}}, extended(direction{}), await{fileInfo{}}, resume{}, await{start{}}, await{exportDescriptor{}}, await{pass{}}}
	for _, c := range []struct {
		name    string
		hostHas bool
		want    string
		script  script
	}{
		{"done before the end", true, "out of order", script{await{direction{}}, extended(direction{}), await{fileInfo{}}, resume{}, await{start{}}, status{ok: true}, told{reasonMessage}}},
		{"done in the middle", true, "out of order", script(append(sends[:7:7], status{ok: true}, told{reasonMessage}))},
		{"garbage", true, "the unknown type", script{bytes.Repeat([]byte{0xee}, 100), told{reasonMessage}}},
		{"refuses like C", true, "Usual reasons: both sides have the file", script{dirty(status{})}},
		{"done at once", true, "out of order", script{status{ok: true}, told{reasonMessage}}},
		{"leaves", true, "the other side left before the copy was complete", script{await{direction{}}, leave{}}},
		{"C, fails", true, "it gives no reason", script{await{direction{}}, dirty(direct), await{exportDescriptor{}}, dirty(status{})}},
		{"C, status too short", true, "with 7 bytes, not 8", script{await{direction{}}, dirty(direct), await{exportDescriptor{}}, cut(status{ok: true}, 7), told{reasonMessage}}},
		{"C, status too long", false, "with 9 bytes, not 8", script{await{direction{}}, direction{size: 10}, await{exportDescriptor{}}, cut(status{ok: true}, 9), told{reasonMessage}}},
		{"C, leaves", false, "the other side left before the copy was complete", script{await{direction{}}, direction{size: 10}, await{exportDescriptor{}}, leave{}}},
		{"C, empty", false, "the file has 0 bytes", script{direction{}, told{reasonEmpty}}},
		{"C, endless", false, "out of order", script{await{direction{}}, direction{size: 10}, await{exportDescriptor{}}, direction{}, told{reasonMessage}}},
		{"window outside", true, "out of order", append(sends[:7:7], pass{at: 64 << 20}, told{reasonMessage})},
		{"window askew", true, "out of order", append(sends[:7:7], pass{at: 5}, told{reasonMessage})},
		{"window outside, receiving", false, "out of order", append(receives[:7:7], pass{at: 64 << 20, len: 5}, told{reasonMessage})},
		{"window too long", false, "out of order", append(receives[:7:7], pass{len: windowSize + 1}, told{reasonMessage})},
		{"wrong part", false, "out of order", append(receives[:7:7], pass{offset: 1, len: 5}, told{reasonMessage})},
		{"more than the file", false, "more than the 10 bytes of the file", append(receives[:7:7], pass{len: 20}, told{reasonMessage})},
		{"ends early", false, "the file was damaged on the way", append(receives[:7:7], end{size: 5}, told{reasonChecksum})},
		{"says nothing", false, "the other side has sent nothing for 1s", append(receives[:7:7], nothing{}, told{reasonTimeout})},
		{"leaves in the middle", false, "the other side left before the copy was complete", append(receives[:7:7], pass{len: 5}, leave{})},
		{"leaves at the end", false, "/f is complete and stays", append(receives[:7:7], pass{len: 10}, end{size: 10, crc: crc32.Checksum(make([]byte, 10), castagnoli)}, until{status{}}, leave{})},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.hostHas {
				write(t, dir+"/f", windows*windowSize+10) // so that its end comes when windows come back
			}
			before := names(t, dir)
			dev, err := doca.OpenDevice("03:00.0")
			require.NoError(t, err)
			defer dev.Close()
			rep, err := dev.OpenRepresentor("b1:00.0")
			require.NoError(t, err)
			server, err := comch.Listen(t.Context(), dev, rep, serverName, comch.Config{})
			require.NoError(t, err)
			host := launch(t, "-p b1:00.0 --timeout 1 -f "+dir+"/f")
			conn, err := server.Accept(t.Context())
			require.NoError(t, err)
			c.script.play(t, conn)
			host.ends(t, 1, c.want)
			if strings.Contains(c.want, "complete and stays") {
				before = []string{"f"}
			}
			assert.Equal(t, before, names(t, dir))
		})
	}
}

// play does what the script says. At its end it waits until the program has ended the
// connection.
func (s script) play(t *testing.T, conn *comch.Conn) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	p := &peer{conn: conn}
	for _, step := range s {
		switch step := step.(type) {
		case message:
			require.NoError(t, p.send(ctx, step))
		case []byte:
			require.NoError(t, conn.Send(ctx, step))
		case await:
			receiveLike(ctx, t, p, step.m)
		case until:
			for like := reflect.TypeOf(step.m); ; {
				got, err := p.recv(ctx)
				require.NoError(t, err)
				if reflect.TypeOf(got) == like {
					break
				}
			}
		case exportOf:
			mem, err := doca.NewMemory(step.size, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: doca.AccessPCIReadWrite})
			require.NoError(t, err)
			desc, err := mem.ExportPCI(conn.Device())
			require.NoError(t, err)
			require.NoError(t, p.send(ctx, exportDescriptor{addr: uint64(mem.Address()), desc: desc}))
		case told:
			var r *refused
			for r == nil { // what is on its way before it does not matter
				_, err := p.recv(ctx)
				require.True(t, err == nil || errors.As(err, &r), "%v", err)
			}
			assert.Equal(t, step.reason, r.reason)
		case leave:
			require.NoError(t, conn.Close())
			return
		case nothing:
		}
	}
	select {
	case <-conn.Done():
	case <-time.After(100 * time.Millisecond): // a DPU waits for the host to leave
		require.NoError(t, conn.Close())
	}
}

// receiveLike receives a message of a type.
func receiveLike(ctx context.Context, t *testing.T, p *peer, like message) {
	t.Helper()
	got, err := p.recv(ctx)
	require.NoError(t, err)
	require.IsType(t, like, got)
}

// What the C compiler lays out.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, m := range []message{
		direction{inHost: true, size: 5}, direction{size: 1 << 40, extended: true}, exportDescriptor{addr: 1 << 60, desc: []byte("abc")},
		status{ok: true}, status{reason: reasonDMA}, fileInfo{mode: 0o755, size: 7}, resume{crc: 1 << 31, offset: 9}, start{offset: 3},
		pass{1, 2, 3}, end{crc: 8, size: 1 << 50}, alive{},
	} {
		got, err := decode(m.encode())
		require.NoError(t, err)
		assert.Equal(t, m, got)
	}
	assert.Equal(t, []byte{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}, direction{inHost: true, size: 258}.encode())
	assert.Equal(t, []byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 'x', 'y'}, exportDescriptor{addr: 9, desc: []byte("xy")}.encode())
	assert.Equal(t, []byte{3, 0, 0, 0, 1}, status{ok: true}.encode()[:5])
	got, err := decode(dirty(direction{inHost: true, size: 6}))
	require.NoError(t, err)
	assert.Equal(t, direction{inHost: true, size: 6}, got, "padding says nothing")
}
