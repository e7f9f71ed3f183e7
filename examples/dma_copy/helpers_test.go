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
	"github.com/go-doca/go-doca/internal/selfexec"
)

// runMain, set in the environment, makes the test binary be the program.
const runMain = "DMA_COPY_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		return
	}
	os.Exit(func() int {
		// This process has an emulator of its own, for tests that are a peer themselves.
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

// output collects what a program writes.
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

// program is one side of a copy: a running process.
type program struct {
	*exec.Cmd
	out *output
}

// launch starts the program with the words of args, and with env in its environment.
func launch(t *testing.T, args string, env ...string) *program {
	t.Helper()
	return launchArgs(t, strings.Fields(args), env...)
}

func launchArgs(t *testing.T, args []string, env ...string) *program {
	t.Helper()
	p := &program{Cmd: selfexec.Command(t, args...), out: new(output)}
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

// ends waits for the program, and checks its exit status and its output. A program that fails
// says so in one line.
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

// received returns how much of the file the program has written below a directory.
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

// pair has a directory for each side, and the environment that their processes share.
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

// write creates a file of n bytes that do not repeat.
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

// names returns the names in a directory, of hidden files as well.
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

// directions runs a test for both directions of a copy.
func directions(t *testing.T, test func(t *testing.T, hostHas bool)) {
	t.Run("to the DPU", func(t *testing.T) { t.Parallel(); test(t, true) })
	t.Run("to the host", func(t *testing.T) { t.Parallel(); test(t, false) })
}

// slow makes DMA slow, so that there is time to interrupt it.
const slow = "DOCA_EMU_FAULTS=delay=30ms"

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, time.Minute, time.Millisecond)
}
