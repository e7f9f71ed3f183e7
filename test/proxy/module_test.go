//go:build proxy

package proxy

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const root = "../.."

// released is what the proxy has of this module.
var released = module.Version{Path: "github.com/go-doca/go-doca", Version: "v0.1.0"}

// file is one of the module's, by its path from the top.
type file string

func (f file) Path() string                 { return string(f) }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(root, string(f))) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(root, string(f))) }

// publish makes a proxy of files that has the working tree as a release, and returns its address.
func publish(t *testing.T) string {
	t.Helper()
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	require.NoError(t, err)
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if _, err := file(name).Lstat(); err == nil { // it may be deleted and not committed
			files = append(files, file(name))
		}
	}
	dir := t.TempDir()
	versions := filepath.Join(dir, filepath.FromSlash(released.Path), "@v")
	require.NoError(t, os.MkdirAll(versions, 0o755))
	out, err := os.Create(filepath.Join(versions, released.Version+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.Create(out, released, files))
	require.NoError(t, out.Close())
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"list":                     released.Version + "\n",
		released.Version + ".mod":  string(mod),
		released.Version + ".info": `{"Version":"` + released.Version + `"}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644))
	}
	return "file://" + dir
}
