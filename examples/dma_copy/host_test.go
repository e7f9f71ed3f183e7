package main

import (
	"bytes"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// TestBadDPU runs the program on the host with DPUs that break the rules, as TestBadHost does
// with hosts.
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
		{"says nothing", false, "the other side has sent nothing for 5s", append(receives[:7:7], nothing{}, told{reasonTimeout})},
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
			host := launch(t, "-p b1:00.0 --timeout "+patience(c.want)+" -f "+dir+"/f")
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
