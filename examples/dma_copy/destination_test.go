package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The program neither writes nor reads nor removes what somebody else has put in the place of
// a part.
func TestPlantedPart(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(t *testing.T, part string){
		"hard link": func(t *testing.T, part string) {
			other := filepath.Join(t.TempDir(), "precious")
			require.NoError(t, os.WriteFile(other, []byte("precious"), 0o600))
			require.NoError(t, os.Link(other, part))
			t.Cleanup(func() {
				b, err := os.ReadFile(other)
				require.NoError(t, err)
				assert.Equal(t, "precious", string(b))
			})
		},
		"of another user": func(t *testing.T, part string) {
			if os.Getuid() != 0 {
				t.Skip("making a file of another user needs root")
			}
			require.NoError(t, os.WriteFile(part, []byte("planted"), 0o666))
			require.NoError(t, os.Chown(part, 65534, 65534))
		},
		"FIFO":      func(t *testing.T, part string) { require.NoError(t, syscall.Mkfifo(part, 0o666)) },
		"directory": func(t *testing.T, part string) { require.NoError(t, os.Mkdir(part, 0o777)) },
		"link":      func(t *testing.T, part string) { require.NoError(t, os.Symlink("/dev/null", part)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f")
			plant(t, filepath.Join(filepath.Dir(path), ".f.part"))
			_, err := createDestination(path, true)
			require.ErrorContains(t, err, ": remove it")
			assert.NotContains(t, err.Error(), "\n")
			assert.Equal(t, []string{".f.part"}, names(t, filepath.Dir(path)))

			d, err := createDestination(path, false)
			require.NoError(t, err, "it has no use for it")
			require.NoError(t, d.commit(0o640))
			assert.Equal(t, []string{".f.part", "f"}, names(t, filepath.Dir(path)))
		})
	}
}

// Only this user can read the file until it has its mode.
func TestSecret(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if keep {
				require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), ".f.part"), nil, 0o666))
			}
			d, err := createDestination(path, keep)
			require.NoError(t, err)
			info, err := d.f.Stat()
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o600), info.Mode())
			require.NoError(t, d.commit(0))
			info, err = os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0), info.Mode())
		})
	}
}

// Some file systems have no files without a name.
func TestTemporaryName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	d := &destination{path: path}
	require.NoError(t, d.openTemporary())
	_, err := d.writer(newChecksum(false)).Write([]byte("text"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assert.ErrorContains(t, d.commit(0o644), "somebody else created")
	assert.Len(t, names(t, filepath.Dir(path)), 1)

	require.NoError(t, os.Remove(path))
	d = &destination{path: path}
	require.NoError(t, d.openTemporary())
	require.NoError(t, d.commit(0o604))
	assert.Equal(t, []string{filepath.Base(path)}, names(t, filepath.Dir(path)))
	d = &destination{path: path + "/below"}
	assert.ErrorContains(t, d.openTemporary(), directoryAdvice)
}

// A file that somebody creates during the copy stays.
func TestMadeMeanwhile(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			d, err := createDestination(path, keep)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, []byte("other"), 0o600))
			assert.ErrorContains(t, d.commit(0o644), "remove the file if it is not wanted")
			assert.Equal(t, []string{"f"}, names(t, filepath.Dir(path)))
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "other", string(b))
		})
	}
}

// The error names the file if its directory is moved during the copy.
func TestDirectoryMoved(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			dir := t.TempDir() + "/dir"
			require.NoError(t, os.Mkdir(dir, 0o700))
			d, err := createDestination(dir+"/f", keep)
			require.NoError(t, err)
			require.NoError(t, d.store())
			require.NoError(t, os.Rename(dir, dir+"2"))
			assert.EqualError(t, d.commit(0o644), "naming the file "+dir+"/f: no such file or directory: leave its directory as it is during the copy, and copy again")
			assert.NoFileExists(t, dir+"2/f")
		})
	}
}

func TestPartName(t *testing.T) {
	t.Parallel()
	assert.Equal(t, ".f.part", partName("f"))
	long := strings.Repeat("x", 249)
	assert.Equal(t, "."+long+".part", partName(long))
	a, b := partName(long+"yyyyyy"), partName(long+"yyyyyz")
	assert.Len(t, a, 255)
	assert.Len(t, b, 255)
	assert.NotEqual(t, a, b)
}

// Names may have any length and any characters.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("n", 255), "né\tw", "-f", ".f.part"} {
		for _, flag := range []string{"", "--resume"} {
			t.Run(fmt.Sprintf("%.10q %s", name, flag), func(t *testing.T) {
				p := newPair(t)
				write(t, p.host+"/"+name, 100)
				run := func(pci, dir string, more ...string) *program {
					return launchArgs(t, append([]string{"-p", pci, "-f", dir + "/" + name}, more...), p.env...)
				}
				more := []string{"-r", "b1:00.0"}
				if flag != "" {
					more = append(more, flag)
				}
				dpu, host := run("03:00.0", p.dpu, more...), run("b1:00.0", p.host)
				dpu.ends(t, 0)
				host.ends(t, 0)
				assert.Equal(t, []string{name}, names(t, p.dpu))
				assert.Equal(t, digest(t, p.host+"/"+name), digest(t, p.dpu+"/"+name))
			})
		}
	}
}

func TestWriteAdvice(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{unix.ENOSPC: "make room", unix.EDQUOT: "make room", unix.EFBIG: "ulimit -f", unix.EIO: ""} {
		t.Run(err.Error(), func(t *testing.T) {
			assert.Contains(t, writeAdvice(&os.PathError{Err: err}), want)
		})
	}
}
