package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPublish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := config{descriptor: dir + "/desc", buffer: dir + "/info"}
	require.NoError(t, publish(cfg, []byte("descriptor"), []byte("16\n31")))
	for path, want := range map[string]string{cfg.descriptor: "descriptor", cfg.buffer: "16\n31"} {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}

	// Neither file is left when one cannot be written.
	cfg.buffer = dir + "/none/info"
	err := publish(cfg, []byte("descriptor"), []byte("16\n31"))
	assert.EqualError(t, err, "the buffer's address and length cannot be written: open "+cfg.buffer+": no such file or directory: -b names their file")
	assert.NoFileExists(t, cfg.descriptor)
	cfg.buffer, cfg.descriptor = dir+"/other", dir
	err = publish(cfg, []byte("descriptor"), []byte("16\n31"))
	assert.EqualError(t, err, "the export descriptor cannot be written: open "+dir+": is a directory: -d names its file")
	assert.NoFileExists(t, cfg.buffer)

	// What was there before is not readable by others, and stays if it cannot be opened.
	cfg = config{descriptor: dir + "/desc", buffer: dir + "/old"}
	require.NoError(t, os.WriteFile(cfg.buffer, []byte("a longer text than the new one"), 0o644))
	require.NoError(t, publish(cfg, []byte("descriptor"), []byte("16\n31")))
	got, err := os.ReadFile(cfg.buffer)
	require.NoError(t, err)
	assert.Equal(t, "16\n31", string(got))
	info, err := os.Stat(cfg.buffer)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(cfg.buffer, 65534, 65534))
		assert.ErrorContains(t, publish(cfg, []byte("descriptor"), []byte("17\n32")), "belongs to another user: remove it")
	} else {
		require.NoError(t, os.Chmod(cfg.buffer, 0o400))
		assert.ErrorContains(t, publish(cfg, []byte("descriptor"), []byte("17\n32")), "permission denied")
	}
	got, err = os.ReadFile(cfg.buffer)
	require.NoError(t, err)
	assert.Equal(t, "16\n31", string(got), "it stays")
	assert.NoFileExists(t, cfg.descriptor)

	// A full disk. What is not a file is not removed.
	cfg.descriptor, cfg.buffer = dir+"/desc", "/dev/full"
	assert.ErrorContains(t, publish(cfg, []byte("descriptor"), []byte("16\n31")), "no space left on device: -b names their file")
	assert.NoFileExists(t, cfg.descriptor)
	assert.FileExists(t, "/dev/full")
}
