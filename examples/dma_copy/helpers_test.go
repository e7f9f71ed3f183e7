package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/emulator"
)

// runMain makes a process of the test be the program.
const runMain = "DMA_COPY_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		return
	}
	os.Exit(func() int {
		// The emulator of this process, for tests that are a peer themselves.
		dir, err := os.MkdirTemp("", "dma_copy")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		os.Setenv("DOCA_PROVIDER", emulator.Name)
		os.Setenv("DOCA_EMU_RUNTIME_DIR", filepath.Join(dir, "run"))
		os.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "20000")
		return m.Run()
	}())
}

// output is what a program has written so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// program is a side of a copy that runs.
type program struct {
	*exec.Cmd
	out *output
}

// launch starts the program with the words of args, and with env.
func launch(t *testing.T, args string, env ...string) *program {
	t.Helper()
	return launchArgs(t, strings.Fields(args), env...)
}

func launchArgs(t *testing.T, args []string, env ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command("/proc/self/exe", args...), out: new(output)}
	p.Env = append(append(os.Environ(), runMain+"=1", "GOGC=1", "GORACE=atexit_sleep_ms=0"), env...)
	p.Stdout, p.Stderr = p.out, p.out
	require.NoError(t, p.Start())
	killer := time.AfterFunc(2*time.Minute, func() { _ = p.Process.Kill() })
	t.Cleanup(func() {
		killer.Stop()
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	return p
}

// ends waits for the program, and checks its exit status and its output. An error is on the
// standard error output.
func (p *program) ends(t *testing.T, status int, wants ...string) {
	t.Helper()
	_ = p.Wait()
	out := p.out.String()
	assert.Equal(t, status, p.ProcessState.ExitCode(), "%s\n%s", p, out)
	for _, want := range wants {
		assert.Contains(t, out, want, "%s", p)
	}
	errors := strings.Count(out, "[DOCA][ERR]")
	assert.Equal(t, status, errors, "a failure is one line:\n%s", out)
	assert.NotContains(t, out, "leak")
	assert.NotContains(t, out, "goroutine ")
}

// says waits until the program has written a text.
func (p *program) says(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(p.out.String(), text) }, time.Minute, time.Millisecond, "%q in %s", text, p.out)
}

// received is how much of the file the program has written below a directory.
func (p *program) received(t *testing.T, dir string) int64 {
	t.Helper()
	fds := fmt.Sprintf("/proc/%d/fd", p.Process.Pid)
	entries, err := os.ReadDir(fds)
	require.NoError(t, err)
	for _, e := range entries {
		path, _ := os.Readlink(fds + "/" + e.Name())
		info, err := os.Stat(fds + "/" + e.Name())
		if err == nil && info.Mode().IsRegular() && strings.HasPrefix(path, dir+"/") {
			return info.Size()
		}
	}
	return 0
}

// pair is a directory for each side, and what their processes have in common.
type pair struct {
	host, dpu string
	env       []string
}

func newPair(t *testing.T) *pair {
	dir := t.TempDir()
	p := &pair{host: filepath.Join(dir, "host"), dpu: filepath.Join(dir, "dpu"), env: []string{"DOCA_EMU_RUNTIME_DIR=" + filepath.Join(dir, "run")}}
	require.NoError(t, os.Mkdir(p.host, 0o700))
	require.NoError(t, os.Mkdir(p.dpu, 0o700))
	return p
}

func (p *pair) launchDPU(t *testing.T, more string, env ...string) *program {
	return launch(t, "-p 03:00.0 --rep-pci b1:00.0 --file "+p.dpu+"/f "+more, slices.Concat(p.env, env)...)
}

func (p *pair) launchHost(t *testing.T, more string) *program {
	return launch(t, "-d b1:00.0 -f "+p.host+"/f "+more, p.env...)
}

// sides returns the directories of the side that has the file and of the other one.
func (p *pair) sides(hostHas bool) (from, to string) {
	if hostHas {
		return p.host, p.dpu
	}
	return p.dpu, p.host
}

// roles returns the program that has the file and the other one.
func roles(dpu, host *program, hostHas bool) (source, receiver *program) {
	if hostHas {
		return host, dpu
	}
	return dpu, host
}

// write makes a file of n bytes that do not repeat.
func write(t *testing.T, path string, n int64) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	b := make([]byte, 1<<16)
	for done := int64(0); done < n; done += int64(len(b)) {
		for i := range b {
			b[i] = byte(done>>16) ^ byte(i) ^ byte(i>>8)*3
		}
		_, err := f.Write(b[:min(int64(len(b)), n-done)])
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
}

func digest(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	require.NoError(t, err)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// names are what is in a directory, hidden files as well.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// directions runs a test for both.
func directions(t *testing.T, test func(t *testing.T, hostHas bool)) {
	t.Run("to the DPU", func(t *testing.T) { t.Parallel(); test(t, true) })
	t.Run("to the host", func(t *testing.T) { t.Parallel(); test(t, false) })
}

func TestCopy(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 1, 4095, 4096, 1 << 20, 1<<20 + 1, 20<<20 + 7} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			directions(t, func(t *testing.T, hostHas bool) {
				p := newPair(t)
				from, to := p.sides(hostHas)
				write(t, from+"/f", size)
				require.NoError(t, os.Chmod(from+"/f", 0o741))
				dpu, host := p.launchDPU(t, "--sha256"), p.launchHost(t, "")
				sum := digest(t, from+"/f")
				copied := fmt.Sprintf("Copied %d bytes in ", size)
				dpu.ends(t, 0, "DMA copy was done Successfully", copied, ", SHA-256 "+sum)
				host.ends(t, 0, "Final status message was successfully received", copied, "CRC-32C")
				assert.Equal(t, sum, digest(t, to+"/f"))
				info, err := os.Stat(to + "/f")
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o741), info.Mode())
				assert.Equal(t, []string{"f"}, names(t, to))
				assert.NoDirExists(t, filepath.Join(filepath.Dir(p.host), "run"))
			})
		})
	}
}

// A DMA of the device may be much smaller than the buffers.
func TestSmallDMA(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		p.env = append(p.env, "DOCA_EMU_DMA_MAX_BUF_SIZE=4000")
		from, to := p.sides(hostHas)
		write(t, from+"/f", 3<<20+1)
		dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
		dpu.ends(t, 0)
		host.ends(t, 0)
		assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
	})
}

// Larger than what 32 bits can count. The file is a hole, which costs the reader nothing;
// the copy takes 3 GiB of the temporary directory.
func TestLargeFile(t *testing.T) {
	if os.Getenv("DMA_COPY_LARGE") == "" {
		t.Skip("set DMA_COPY_LARGE=1 to copy 3 GiB in both directions")
	}
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		require.NoError(t, os.WriteFile(from+"/f", []byte("first"), 0o600))
		require.NoError(t, os.Truncate(from+"/f", 3<<30-4))
		f, err := os.OpenFile(from+"/f", os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		_, err = f.WriteString("last")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		dpu, host := p.launchDPU(t, ""), p.launchHost(t, "")
		dpu.ends(t, 0, "Copied 3221225472 bytes")
		host.ends(t, 0)
		assert.Equal(t, digest(t, from+"/f"), digest(t, to+"/f"))
	})
}

// Flags can come from a JSON file.
func TestJSON(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	write(t, p.host+"/f", 100)
	file := filepath.Join(t.TempDir(), "flags.json")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
		`{"doca_general_flags": {"log-level": 60, "sdk-log-level": 40}, "doca_program_flags": {"file": %q, "dev-pci": "03:00.0", "rep-pci": "b1:00.0", "timeout": 60}}`, p.dpu+"/f"), 0o600))
	dpu, host := launch(t, "--json "+file, p.env...), p.launchHost(t, "")
	dpu.ends(t, 0)
	host.ends(t, 0)
	assert.Equal(t, digest(t, p.host+"/f"), digest(t, p.dpu+"/f"))
}

// Either side may be first, with a time limit.
func TestHostFirst(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.env = append(p.env, "DOCA_EMU_COMCH_CONNECT_TIMEOUT=20")
	write(t, p.host+"/f", 100)
	host := p.launchHost(t, "--timeout 60")
	host.says(t, "File was found locally")
	time.Sleep(100 * time.Millisecond)
	p.launchDPU(t, "--timeout 60").ends(t, 0)
	host.ends(t, 0)
}
