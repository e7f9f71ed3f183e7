// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/go-doca/go-doca/generated/abi"
)

// asNobody runs f on a thread with the file permissions of a user who owns nothing.
func asNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock it: the thread ends with the goroutine
		_, _ = unix.SetfsgidRetGid(65534)
		_, _ = unix.SetfsuidRetUid(65534)
		f()
	}()
	<-done
}

// What a user may not read is no broken library: the advice is not to install it again.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	open, shut := filepath.Join(dir, "open"), filepath.Join(dir, "shut")
	require.NoError(t, os.Mkdir(open, 0o755))
	require.NoError(t, os.Mkdir(shut, 0o000))
	require.NoError(t, os.WriteFile(filepath.Join(open, commonLibrary), []byte("text"), 0o000))
	for _, path := range []string{open, shut} {
		s := System{Root: "/", Getenv: func(string) string { return path }}
		var problems []string
		asNobody(func() { problems = s.brokenFiles(commonLibrary) })
		require.Len(t, problems, 1, path)
		assert.Contains(t, problems[0], filepath.Join(path, commonLibrary)+" cannot be read by this user: chmod a+r")
		assert.Equal(t, "give this user access, or run as one who has it", mend(problems, commonLibrary))
		assert.Equal(t, "reinstall the DOCA package that has it", mend(append(problems, "x is empty"), "it"))
	}
}

// The dynamic linker takes semicolons in LD_LIBRARY_PATH, too, and an empty name for the working directory.
func TestLibraryPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, commonLibrary), []byte("text"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libdoca_common.so.1"), []byte("text"), 0o644))
	for path, want := range map[string]string{"/nowhere;" + dir: dir, dir + ";/nowhere:": dir, "/nowhere:" + dir: dir, "": ""} {
		s := System{Root: "/", Getenv: func(string) string { return path }}
		if want == "" {
			assert.NotContains(t, s.files(commonLibrary), filepath.Join(dir, commonLibrary))
			continue
		}
		assert.Contains(t, s.files(commonLibrary), filepath.Join(want, commonLibrary), path)
		assert.Contains(t, s.otherVersions(commonLibrary), filepath.Join(want, "libdoca_common.so.1"), path)
	}
}

// A library that an old release does not have yet is not missing.
func TestNotYet(t *testing.T) {
	t.Parallel()
	none := System{Root: "/", Getenv: func(string) string { return "" }}
	l := abi.LibraryInfo{Name: "libdoca_new.so.2", Err: &abi.LibraryError{Library: "libdoca_new.so.2"}, Symbols: []abi.SymbolInfo{
		{Symbol: abi.Symbol{Name: "doca_new_b", Library: "libdoca_new.so.2", Since: "3.0"}},
		{Symbol: abi.Symbol{Name: "doca_new_a", Library: "libdoca_new.so.2", Since: "2.10"}},
		{Symbol: abi.Symbol{Name: "doca_ctx", Library: commonLibrary}},
	}}
	f := none.missing(l, &Report{Provider: abi.SDK, Version: "2.9.1"})
	assert.Equal(t, Info, f.Status)
	assert.Equal(t, "DOCA 2.9 is not known to have it, but releases as of 2.10: nothing of it can be called", f.Message)
	f = none.missing(l, &Report{Provider: abi.SDK, Version: "2.10.0087"})
	assert.Equal(t, Warning, f.Status)
	assert.Equal(t, "it is not installed: nothing of it can be called", f.Message)
}
