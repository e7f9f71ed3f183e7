package blockdev

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
)

// bin is where the programs of the other machines are.
var bin string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blockdev")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	if out, err := exec.Command("go", "build", "-o", dir, "../target_rdma", "../comch_to_rdma_zero_copy").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	os.Setenv("DOCA_EMU_RUNTIME_DIR", filepath.Join(dir, "run"))
	return m.Run()
}

// start starts a program and returns what it says that matches.
func start(t *testing.T, pattern, name string, args ...string) (cmd *exec.Cmd, found string) {
	t.Helper()
	cmd = exec.Command(filepath.Join(bin, name), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	re, in := regexp.MustCompile(pattern), bufio.NewScanner(out)
	for in.Scan() {
		if m := re.FindStringSubmatch(in.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return cmd, m[1]
		}
	}
	require.Fail(t, name+" has ended")
	return nil, ""
}

// chain is the programs of the other machines.
type chain struct{ target, relay *exec.Cmd }

// newDevice opens a device of 1 MiB.
func newDevice(t *testing.T, cfg Config, targetArgs ...string) (*Device, chain) {
	t.Helper()
	var c chain
	var port string
	c.target, port = start(t, `Waiting for the BlueField at port (\d+)`, "target_rdma",
		append([]string{"-d", "03:00.1", "--cpu", "0", "--cpu", "0", "--cpu", "0", "--listen-port", "0", "--block-count", "256"}, targetArgs...)...)
	c.relay, _ = start(t, `(waiting for an initiator)`, "comch_to_rdma_zero_copy",
		"-d", "03:00.0", "-r", "b1:00.0", "--cpu", "0", "--cpu", "0", "--cpu", "0", "--storage-server", "127.0.0.1:"+port)
	cfg.Device = "b1:00.0"
	d, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d, c
}

// ended checks that the programs have ended with a status.
func (c chain) ended(t *testing.T, status int) {
	t.Helper()
	for _, p := range []*exec.Cmd{c.relay, c.target} {
		_ = p.Wait()
		assert.Equal(t, status, p.ProcessState.ExitCode(), p.Path)
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

func TestReadsAndWrites(t *testing.T) {
	for name, cfg := range map[string]Config{
		"defaults": {}, "three queues": {Queues: 3, Depth: 4, MaxIO: 5000, Checksums: true}, "one at a time": {Depth: 1, MaxIO: 4096},
	} {
		t.Run(name, func(t *testing.T) {
			d, c := newDevice(t, cfg)
			assert.Equal(t, int64(1<<20), d.Size())
			assert.Equal(t, 4096, d.BlockSize())
			data := random(1 << 20)
			n, err := d.WriteAt(data, 0)
			require.NoError(t, err)
			assert.Equal(t, len(data), n)
			require.NoError(t, iotest.TestReader(io.NewSectionReader(d, d.Size()-2000, 2000), data[len(data)-2000:]))
			var wg sync.WaitGroup
			for g := range 8 { // goroutines, each with a part of its own
				wg.Go(func() {
					own := data[g<<17:][:1<<17]
					for range 40 {
						off := rand.IntN(len(own))
						b := random(1 + rand.IntN(len(own)-off))
						at := int64(g<<17 + off)
						n, err := d.WriteAt(b, at)
						assert.NoError(t, err)
						assert.Equal(t, len(b), n)
						copy(own[off:], b)
						off = rand.IntN(len(own))
						b = make([]byte, 1+rand.IntN(len(own)-off))
						n, err = d.ReadAt(b, int64(g<<17+off))
						assert.NoError(t, err)
						assert.Equal(t, len(b), n)
						assert.True(t, bytes.Equal(own[off:][:len(b)], b))
					}
				})
			}
			wg.Wait()
			got := make([]byte, len(data))
			_, err = d.ReadAt(got, 0)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(data, got))
			require.NoError(t, d.Close())
			c.ended(t, 0)
		})
	}
}

func TestEnds(t *testing.T) {
	d, c := newDevice(t, Config{})
	b := make([]byte, 10)
	n, err := d.ReadAt(b, d.Size()-4)
	assert.Equal(t, 4, n)
	assert.Equal(t, io.EOF, err)
	n, err = d.ReadAt(b, d.Size())
	assert.Zero(t, n)
	assert.Equal(t, io.EOF, err)
	for _, off := range []int64{d.Size() + 100, 1<<63 - 1} {
		n, err = d.ReadAt(b, off)
		assert.Zero(t, n)
		assert.Equal(t, io.EOF, err)
		n, err = d.WriteAt(b, off)
		assert.Zero(t, n)
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	n, err = d.ReadAt(b, -1)
	assert.Zero(t, n)
	assert.ErrorIs(t, err, doca.ErrInvalidValue)
	n, err = d.ReadAt(nil, 0)
	assert.Zero(t, n)
	assert.NoError(t, err)
	n, err = d.WriteAt(b, d.Size()-4)
	assert.Zero(t, n)
	assert.ErrorIs(t, err, doca.ErrInvalidValue)
	one, two := []byte("first"), make([]byte, 5)
	requests := []*Request{{Write: true, Data: one, Offset: 100}, {Data: two, Offset: -3}, {Write: true, Data: []byte("other"), Offset: 1000}}
	assert.ErrorIs(t, d.Do(requests), doca.ErrInvalidValue)
	assert.Equal(t, []int{5, 0, 5}, []int{requests[0].N, requests[1].N, requests[2].N})
	assert.NoError(t, requests[2].Err)
	_, err = d.ReadAt(two, 1000)
	assert.NoError(t, err)
	assert.Equal(t, "other", string(two))
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	_, err = d.ReadAt(b, 0)
	assert.ErrorIs(t, err, ErrClosed)
	c.ended(t, 0)
	_, err = Open(t.Context(), Config{Device: "b1:00.0", Timeout: 100 * time.Millisecond})
	assert.ErrorIs(t, err, doca.ErrTimeOut)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Open(ctx, Config{Device: "b1:00.0"})
	assert.ErrorIs(t, err, context.Canceled)
}

// If a program of another machine is killed, what is in flight fails, and all that comes after it.
func TestKills(t *testing.T) {
	for name, who := range map[string]func(c chain) *exec.Cmd{
		"target": func(c chain) *exec.Cmd { return c.target }, "relay": func(c chain) *exec.Cmd { return c.relay },
	} {
		t.Run(name, func(t *testing.T) {
			d, c := newDevice(t, Config{Queues: 2})
			var wg sync.WaitGroup
			b := random(1 << 20)
			for range 4 {
				wg.Go(func() {
					for {
						if _, err := d.WriteAt(b, 0); err != nil {
							return
						}
					}
				})
			}
			time.Sleep(20 * time.Millisecond) // some requests
			require.NoError(t, who(c).Process.Kill())
			wg.Wait()
			_, err := d.ReadAt(make([]byte, 100), 0)
			assert.ErrorContains(t, err, "the connection with the storage has ended")
			assert.Error(t, d.Close())
			_ = c.target.Wait()
			_ = c.relay.Wait()
		})
	}
	d, c := newDevice(t, Config{})
	require.NoError(t, d.Close())
	c.ended(t, 0)
}

// What is written is in the target's file, with each way to keep it.
func TestFile(t *testing.T) {
	for _, mode := range []string{"never", "stop", "write"} {
		t.Run(mode, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "storage")
			args := []string{"--file", path, "--sync", mode}
			d, c := newDevice(t, Config{Timeout: time.Minute}, args...) // a disk may be slow
			data := random(100_000)
			_, err := d.WriteAt(data, 12345)
			require.NoError(t, err)
			require.NoError(t, d.Close())
			c.ended(t, 0)
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Len(t, file, 1<<20)
			assert.True(t, bytes.Equal(data, file[12345:][:len(data)]))
			d, c = newDevice(t, Config{Timeout: time.Minute}, args...) // and it is there again
			got := make([]byte, len(data))
			_, err = d.ReadAt(got, 12345)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(data, got))
			require.NoError(t, d.Close())
			c.ended(t, 0)
		})
	}
}

// With checksums, a block that changes at the target is found, and one that changes by a write is right.
func TestChecksums(t *testing.T) {
	path := filepath.Join(t.TempDir(), "storage")
	d, c := newDevice(t, Config{Checksums: true}, "--file", path)
	data := random(4 * 4096)
	_, err := d.WriteAt(data, 4096)
	require.NoError(t, err)
	back := make([]byte, 8*4096)
	_, err = d.ReadAt(back, 0)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, back[4096:][:len(data)]))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	_, err = file.WriteAt([]byte{data[5000] + 1}, 4096+5000) // in block 2
	require.NoError(t, err)
	_, err = d.ReadAt(back, 0)
	require.ErrorIs(t, err, ErrData)
	assert.ErrorContains(t, err, "block 2 of the storage")
	_, err = d.ReadAt(back[:4096], 4096)
	assert.NoError(t, err, "block 1 is right")
	_, err = d.ReadAt(back[:4000], 2*4096)
	assert.NoError(t, err, "a part of a block cannot be checked")
	_, err = d.WriteAt([]byte("part"), 2*4096+10)
	require.NoError(t, err)
	_, err = d.ReadAt(back, 0)
	assert.NoError(t, err, "nobody knows what block 2 should be now")
	_, err = d.WriteAt(data, 4096)
	require.NoError(t, err)
	_, err = d.ReadAt(back, 0)
	assert.NoError(t, err)
	require.NoError(t, d.Close())
	c.ended(t, 0)
}

// What was not opened, or cannot be, is an error.
func TestCallersMistakes(t *testing.T) {
	for _, d := range []*Device{nil, {}} {
		_, err := d.ReadAt(make([]byte, 1), 0)
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = d.WriteAt(make([]byte, 1), 0)
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
		assert.ErrorIs(t, d.Do(nil), doca.ErrInvalidValue)
		assert.ErrorIs(t, d.Close(), doca.ErrInvalidValue)
		assert.Zero(t, d.Size())
		assert.Zero(t, d.BlockSize())
	}
	for _, cfg := range []Config{{Depth: -1}, {Queues: 1 << 40}, {MaxIO: 1 << 40}, {Timeout: -1}, {}} {
		_, err := Open(t.Context(), cfg)
		assert.ErrorIs(t, err, doca.ErrInvalidValue, "%+v", cfg)
	}
	_, err := Open(t.Context(), Config{Device: "b1:00.0", Queues: 1 << 12, Depth: 1 << 10, MaxIO: 1 << 10})
	assert.ErrorIs(t, err, doca.ErrTooBig)
	d, c := newDevice(t, Config{})
	r := Request{Write: true, Data: []byte("not written")}
	assert.ErrorIs(t, d.Do([]*Request{&r, nil}), doca.ErrInvalidValue)
	b := make([]byte, 3)
	_, err = d.ReadAt(b, 0)
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0, 0}, b)
	require.NoError(t, d.Close())
	c.ended(t, 0)
}

// Close, also by several goroutines at the same time, in the middle of large requests: what is in flight is carried out, the rest is
// not, and the numbers say where the limit is.
func TestCloseInFlight(t *testing.T) {
	d, c := newDevice(t, Config{Queues: 2, Depth: 2, MaxIO: 4096})
	var writers, closers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			b := random(1 << 20)
			for {
				n, err := d.WriteAt(b, 0)
				if err != nil {
					assert.ErrorIs(t, err, ErrClosed)
					assert.Less(t, n, len(b))
					return
				}
				assert.Equal(t, len(b), n)
			}
		})
	}
	for {
		b := make([]byte, 1)
		if _, err := d.ReadAt(b, 0); !assert.NoError(t, err) || b[0] != 0 {
			break
		}
	}
	for range 3 {
		closers.Go(func() { assert.NoError(t, d.Close()) })
	}
	closers.Wait()
	writers.Wait()
	c.ended(t, 0)
}

// If a program of another machine is stopped, requests end with an error after the time limit, and Close ends as well.
func TestStopped(t *testing.T) {
	for name, who := range map[string]func(c chain) *exec.Cmd{
		"target": func(c chain) *exec.Cmd { return c.target }, "relay": func(c chain) *exec.Cmd { return c.relay },
	} {
		t.Run(name, func(t *testing.T) {
			d, c := newDevice(t, Config{Timeout: 6 * time.Second})
			_, err := d.WriteAt(random(1<<20), 0)
			require.NoError(t, err)
			selfexec.Stop(t, who(c).Process)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					_, err := d.ReadAt(make([]byte, 1<<20), 0)
					assert.Error(t, err)
				})
			}
			_, err = d.WriteAt([]byte{1}, 0)
			assert.ErrorIs(t, err, doca.ErrTimeOut)
			assert.ErrorContains(t, err, "do the BlueField's program and the target still run?")
			wg.Wait()
			assert.ErrorIs(t, d.Close(), doca.ErrTimeOut)
			require.NoError(t, who(c).Process.Signal(syscall.SIGCONT))
			c.ended(t, 1)
		})
	}
}

// When the requests of one queue have not ended in time, the others begin none either, though the machines are there again: what is late
// may still be carried out.
func TestOneQueueFails(t *testing.T) {
	d, c := newDevice(t, Config{Queues: 3, Timeout: 3 * time.Second})
	selfexec.Stop(t, c.target.Process)
	_, failed := d.WriteAt([]byte{1}, 0)
	require.ErrorIs(t, failed, doca.ErrTimeOut)
	require.NoError(t, c.target.Process.Signal(syscall.SIGCONT))
	for range 30 {
		_, err := d.WriteAt([]byte{2}, 0)
		assert.Equal(t, failed, err)
	}
	assert.ErrorIs(t, d.Close(), doca.ErrTimeOut)
	c.ended(t, 1)
}
