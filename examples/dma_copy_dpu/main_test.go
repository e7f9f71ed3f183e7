package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	t.Parallel()
	cfg := config{descriptor: t.TempDir() + "/desc", buffer: t.TempDir() + "/info"}
	const copyFirst = ": no such file or directory: run dma_copy_host on the host and copy both of its files here first; "
	_, err := read(cfg)
	assert.EqualError(t, err, "open "+cfg.descriptor+copyFirst+"-d names this one")
	require.NoError(t, os.WriteFile(cfg.descriptor, []byte("descriptor"), 0o600))
	_, err = read(cfg)
	assert.EqualError(t, err, "open "+cfg.buffer+copyFirst+"-b names this one")
	assert.ErrorIs(t, err, os.ErrNotExist)

	for _, info := range []string{"16\n31", "16\n31\n", "16\r\n31\r\n", "\n 0x10 \n\t037 \n", "\r\n16\r\n\r\n31"} {
		t.Run(strconv.Quote(info), func(t *testing.T) {
			require.NoError(t, os.WriteFile(cfg.buffer, []byte(info), 0o600))
			got, err := read(cfg)
			assert.NoError(t, err)
			assert.Equal(t, remote{descriptor: []byte("descriptor"), addr: 16, size: 31}, got)
		})
	}
	for info, want := range map[string]string{
		"":          `line 1 is "", not the address`,
		"here\n31":  `line 1 is "here", not the address`,
		"16":        "line 2, the length of the host's buffer, is missing",
		"16\r\n":    "line 2, the length of the host's buffer, is missing",
		"16 31":     `line 1 is "16 31", not the address`,
		"16\n-1":    `line 2 is "-1", not the length`,
		"16\n31\n1": `line 2 is "31\n1", not the length`,
		"16\n0":     "the host's buffer is empty",
	} {
		t.Run(strconv.Quote(info), func(t *testing.T) {
			require.NoError(t, os.WriteFile(cfg.buffer, []byte(info), 0o600))
			_, err := read(cfg)
			assert.ErrorContains(t, err, want)
		})
	}
	cfg.buffer = t.TempDir()
	_, err = read(cfg)
	assert.ErrorContains(t, err, "is a directory: run dma_copy_host")
}
