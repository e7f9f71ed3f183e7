package provider

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/generated/abi"
)

// oldCommon belongs to an SDK of an older release, on a machine without a device. It has some
// functions, and there is no libdoca_dma.
const oldCommon = `
#include <stdlib.h>
const char *doca_version_runtime(void) { return "2.5.0108"; }
int doca_devinfo_create_list(void *list, unsigned *n) { (void)list; (void)n; return 16; }
int doca_mmap_create(void **mmap) { *mmap = malloc(1); return 0; }
int doca_buf_arr_create(void *mmap, void **arr) { (void)mmap; (void)arr; abort(); }
`

// oldDPA has a function with any number of arguments. It adds up as many as the first one
// says.
const oldDPA = `
#include <stdarg.h>
#include <stdint.h>
int doca_dpa_rpc(void *dpa, void (*func)(void), uint64_t *retval, ...)
{
	uint64_t n;
	va_list args;

	(void)dpa;
	(void)func;
	va_start(args, retval);
	for (*retval = 0, n = va_arg(args, uint64_t); n > 0; n--)
		*retval += va_arg(args, uint64_t);
	va_end(args);
	return 0;
}
`

var builds sync.Map

// probe returns the path of the program, which it builds once for all tests.
func probe(t *testing.T, tags string) string {
	t.Helper()
	build, _ := builds.LoadOrStore(tags, sync.OnceValues(func() (string, error) {
		path := filepath.Join(shared, "probe-"+tags)
		out, err := exec.Command("go", "build", "-tags", tags, "-o", path, "./probe").CombinedOutput()
		if err != nil {
			return string(out), err
		}
		return path, nil
	}))
	path, err := build.(func() (string, error))()
	require.NoError(t, err, path)
	return path
}

var shared string

func TestMain(m *testing.M) {
	var err error
	if shared, err = os.MkdirTemp("", "provider"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(shared)
	os.Exit(code)
}

// run runs the program. It returns the lines of its output, by what they begin with, and its
// stderr.
func run(t *testing.T, program string, env ...string) (map[string]string, string) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command(program)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DOCA_") && !strings.HasPrefix(v, "LD_LIBRARY_PATH=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	lines := map[string]string{}
	for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		what, text, _ := strings.Cut(l, ": ")
		lines[what] = text
	}
	return lines, stderr.String()
}

// oldSDK makes a directory with libraries of an older release.
func oldSDK(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for soname, text := range map[string]string{"libdoca_common.so.2": oldCommon, "libdoca_dpa.so.2": oldDPA} {
		src := filepath.Join(dir, soname+".c")
		require.NoError(t, os.WriteFile(src, []byte(text), 0o644))
		out, err := exec.Command("gcc", "-shared", "-fPIC", "-Wl,-soname,"+soname, "-o", filepath.Join(dir, soname), src).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return dir
}

// A build without cgo, as without a C compiler or for another processor, says what is missing and nothing else. So does one for
// another system.
func TestWithoutCgo(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{"linux": "cgo_is_off_so_install_gcc_and_set_CGO_ENABLED_to_1", "darwin": "go_doca_needs_Linux"} {
		cmd := exec.Command("go", "build", "../../doca", "../../emulator", "../../cmd/doca")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(out), "undefined: "+want)
		assert.Equal(t, 1, strings.Count(string(out), "undefined:"), string(out))
		assert.NotContains(t, string(out), "exclude all Go files")
	}
}

func TestNothingThere(t *testing.T) {
	t.Parallel()
	lines, _ := run(t, probe(t, ""), "DOCA_PROVIDER=sdk")
	for _, l := range lines {
		assert.Contains(t, l, "error=provider unsupported=true")
		assert.Contains(t, l, "libdoca_common.so.2 cannot be loaded")
		assert.Contains(t, l, "/opt/mellanox/doca/lib")
		assert.Contains(t, l, `import _ "github.com/go-doca/go-doca/emulator"`)
	}
	lines, _ = run(t, probe(t, ""), "DOCA_PROVIDER=emulator")
	assert.Contains(t, lines["active"], `this program has sdk; import _ "github.com/go-doca/go-doca/emulator" to have`)
	lines, _ = run(t, probe(t, "emulator"), "DOCA_PROVIDER=hardware")
	assert.Contains(t, lines["active"], "DOCA_PROVIDER=hardware: this program has emulator, sdk; want one of these")
}

func TestOldSDK(t *testing.T) {
	t.Parallel()
	lines, stderr := run(t, probe(t, "emulator"), "LD_LIBRARY_PATH="+oldSDK(t))
	assert.Empty(t, stderr)
	assert.Contains(t, lines["active"], "value=sdk 2.5.0108 (")
	assert.Contains(t, lines["devices"], "error=call unsupported=false: doca_devinfo_create_list: DOCA_ERROR_NOT_FOUND")
	assert.Contains(t, lines["mmap"], "value=true error=none")
	assert.Contains(t, lines["thread safety"], "error=symbol unsupported=true: doca_mmap_enable_thread_safety: libdoca_common.so.2 of sdk 2.5.0108")
	assert.Contains(t, lines["thread safety"], "generated from DOCA "+abi.BindingsVersion)
	assert.Contains(t, lines["dma"], "error=library unsupported=true: libdoca_dma.so.2 cannot be loaded")
	// It exists and takes other parameters: it must not be called.
	assert.Contains(t, lines["buf array"], "error=symbol unsupported=true: doca_buf_arr_create: its signature in libdoca_common.so.2 of sdk 2.5.0108")
	assert.Contains(t, lines["buf array"], "is not that of DOCA "+abi.BindingsVersion)
	assert.Contains(t, lines["rpc"], "value=465 error=none")
	assert.Contains(t, lines["rpc of 33"], "error=call unsupported=false: doca_dpa_rpc: DOCA_ERROR_INVALID_VALUE (not called: 33 arguments, of which there may be 32)")
}

// Callbacks that look up why a task has failed need functions that a library may lack: no task may be made then.
func TestLackingWhatCallbacksCall(t *testing.T) {
	t.Parallel()
	dir := oldSDK(t)
	src := filepath.Join(dir, "dma.c")
	require.NoError(t, os.WriteFile(src, []byte(`
int doca_dma_task_memcpy_set_conf(void *dma, void *done, void *failed, unsigned n) { (void)dma; (void)done; (void)failed; return n == 0; }
void *doca_dma_task_memcpy_as_task(void *task) { return task; }
`), 0o644))
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libdoca_dma.so.2"), src).CombinedOutput()
	require.NoError(t, err, string(out))
	lines, _ := run(t, probe(t, ""), "LD_LIBRARY_PATH="+dir)
	assert.Contains(t, lines["dma task"], "error=none")
	for _, tasks := range []string{"dma tasks", "dma tasks of batches"} {
		assert.Contains(t, lines[tasks], "error=symbol unsupported=true: doca_task_get_status: libdoca_common.so.2 of sdk 2.5.0108")
	}
}

func TestBrokenSDK(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libdoca_common.so.2"), []byte("no library"), 0o644))
	lines, _ := run(t, probe(t, ""), "LD_LIBRARY_PATH="+dir)
	assert.Contains(t, lines["active"], "error=provider")
	assert.Contains(t, lines["active"], "libdoca_common.so.2: file too short")
}

// The dynamic linker crashes with a library that is cut off behind its headers.
func TestTruncatedSDK(t *testing.T) {
	t.Parallel()
	dir := oldSDK(t)
	src := filepath.Join(dir, "long.c")
	require.NoError(t, os.WriteFile(src, []byte(oldCommon+"char data[100000] = {1};"), 0o644))
	lib := filepath.Join(dir, "libdoca_common.so.2")
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", lib, src).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.Truncate(lib, 9000))
	lines, _ := run(t, probe(t, ""), "LD_LIBRARY_PATH="+dir)
	assert.Contains(t, lines["active"], "error=provider")
	assert.Contains(t, lines["active"], "libdoca_common.so.2: it is truncated: a whole one has at least 1")
	lines, stderr := run(t, probe(t, "emulator"), "LD_LIBRARY_PATH="+dir)
	assert.Contains(t, lines["active"], "value=emulator")
	assert.Contains(t, stderr, "doca: the DOCA SDK cannot be loaded ("+lib+": it is truncated")
	// It looks for the name without a number, too.
	plain := filepath.Join(t.TempDir(), "libdoca_common.so")
	require.NoError(t, os.Symlink(lib, plain))
	lines, stderr = run(t, probe(t, "emulator"), "LD_LIBRARY_PATH="+filepath.Dir(plain))
	assert.Contains(t, lines["active"], "value=emulator")
	assert.Contains(t, stderr, plain+": it is truncated")
	// The dynamic linker also takes directories that are relative, and semicolons between them.
	here, err := os.Getwd()
	require.NoError(t, err)
	relative, err := filepath.Rel(here, dir)
	require.NoError(t, err)
	for _, dirs := range []string{relative, "/nowhere;" + dir} {
		lines, _ = run(t, probe(t, ""), "LD_LIBRARY_PATH="+dirs)
		assert.Contains(t, lines["active"], "libdoca_common.so.2: it is truncated", dirs)
	}
}

// The dynamic linker says nothing of files that it passes over. A truncated one behind them crashes it nevertheless.
func TestPassedOver(t *testing.T) {
	t.Parallel()
	foreign, small, link, loop, whole, truncated := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir(), oldSDK(t), t.TempDir()
	const name = "libdoca_common.so.2"
	library, err := os.ReadFile(filepath.Join(whole, name))
	require.NoError(t, err)
	other := bytes.Clone(library)
	other[18], other[19] = 0xf3, 0 // e_machine: RISC-V
	require.NoError(t, os.WriteFile(filepath.Join(foreign, name), other[:len(other)/4], 0o644))
	other = bytes.Clone(library)
	other[4] = 1 // EI_CLASS: 32 bits
	require.NoError(t, os.WriteFile(filepath.Join(small, name), other, 0o644))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(link, name)))
	require.NoError(t, os.Symlink(name, filepath.Join(loop, name)))
	require.NoError(t, os.WriteFile(filepath.Join(truncated, name), library[:len(library)/4], 0o644))

	for dir, why := range map[string]string{
		foreign: "it is for another processor than this program, which is for " + runtime.GOARCH,
		small:   "it is for another processor than this program, which is for " + runtime.GOARCH,
		link:    "the link cannot be followed: no such file or directory",
		loop:    "the link cannot be followed: too many levels of symbolic links",
	} {
		said := filepath.Join(dir, name) + ": " + why
		lines, _ := run(t, probe(t, ""), "LD_LIBRARY_PATH="+dir)
		assert.Contains(t, lines["active"], "error=provider")
		assert.Contains(t, lines["active"], "(tried "+said+", ")
		lines, stderr := run(t, probe(t, "emulator"), "LD_LIBRARY_PATH="+dir)
		assert.Contains(t, lines["active"], "value=emulator")
		assert.Contains(t, stderr, "doca: the DOCA SDK cannot be loaded ("+said+"), using the emulator")
		lines, _ = run(t, probe(t, ""), "LD_LIBRARY_PATH="+dir+":"+truncated)
		assert.Contains(t, lines["active"], "(tried "+said+", "+filepath.Join(truncated, name)+": it is truncated: ")
		if dir == loop { // which ends the search
			continue
		}
		lines, _ = run(t, probe(t, ""), "LD_LIBRARY_PATH="+dir+":"+whole)
		assert.Contains(t, lines["active"], "value=sdk 2.5.0108 ("+filepath.Join(whole, name)+")")
	}

	// Without the first name the linker is asked for the second one.
	require.NoError(t, os.Rename(filepath.Join(truncated, name), filepath.Join(truncated, "libdoca_common.so")))
	lines, _ := run(t, probe(t, ""), "LD_LIBRARY_PATH="+truncated)
	assert.Contains(t, lines["active"], "libdoca_common.so: it is truncated")
}

func TestEmulator(t *testing.T) {
	t.Parallel()
	lines, stderr := run(t, probe(t, "emulator"), "DOCA_PROVIDER=emulator", "LD_LIBRARY_PATH="+oldSDK(t))
	assert.Empty(t, stderr)
	assert.Contains(t, lines["active"], "value=emulator 3.0.0058 error=none")
	assert.Contains(t, lines["devices"], "value=4 error=none")
	assert.Contains(t, lines["thread safety"], "error=none")
	assert.Contains(t, lines["dma"], "error=none")
	assert.Contains(t, lines["buf array"], "error=none")
}

// If there is no SDK the emulator is used, and one line says so.
func TestFallback(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/opt/mellanox/doca"); err == nil {
		t.Skip("an SDK is installed here: it has priority")
	}
	lines, stderr := run(t, probe(t, "emulator"))
	assert.Contains(t, lines["active"], "value=emulator")
	assert.Equal(t, 1, strings.Count(stderr, "\n"))
	assert.Contains(t, stderr, "no DOCA SDK on this machine, using the emulator")
}
