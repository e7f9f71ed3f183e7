package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// connection is both ends of one in this process.
func connection(t *testing.T) (dpu, host *peer) {
	t.Helper()
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	rep, err := dev.OpenRepresentor("b1:00.0")
	require.NoError(t, err)
	server, err := comch.Listen(t.Context(), dev, rep, t.Name(), comch.Config{})
	require.NoError(t, err)
	other, err := doca.OpenDevice("b1:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close()) })
	accepted := make(chan *comch.Conn, 1)
	go func() {
		conn, err := server.Accept(t.Context())
		assert.NoError(t, err)
		accepted <- conn
	}()
	client, err := comch.Dial(t.Context(), other, t.Name(), comch.Config{})
	require.NoError(t, err)
	conn := <-accepted
	return &peer{conn: conn, timeout: time.Second}, &peer{conn: client, timeout: time.Second}
}

// A side that works longer than the other one's time limit lets it know.
func TestWorking(t *testing.T) {
	dpu, host := connection(t)
	defer dpu.pulse(t.Context())()
	go func() {
		err := dpu.working(t.Context(), func(context.Context) error {
			time.Sleep(2500 * time.Millisecond)
			return nil
		})
		if assert.NoError(t, err) {
			assert.NoError(t, dpu.send(t.Context(), start{offset: 5}))
		}
	}()
	m, err := host.recv(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start{offset: 5}, m)
}

// So does one that copies, while its disk is slow.
func TestSlowDisk(t *testing.T) {
	dpu, host := connection(t)
	defer dpu.pulse(t.Context())()
	disk, pulled, err := os.Pipe()
	require.NoError(t, err)
	defer disk.Close()
	copying := &transfer{peer: dpu, src: &source{File: disk, size: 4}, sum: newChecksum(false), bar: progressbar.DefaultBytesSilent(4)}
	time.AfterFunc(2500*time.Millisecond, func() {
		_, err := pulled.WriteString("late")
		assert.NoError(t, err)
	})
	go func() {
		b, err := io.ReadAll(copying.reader())
		if assert.NoError(t, err) && assert.Equal(t, "late", string(b)) {
			assert.NoError(t, dpu.send(t.Context(), start{offset: 5}))
		}
	}()
	m, err := host.recv(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start{offset: 5}, m)
}

// Its own time at the disk is not the other side's.
func TestOwnSlowDisk(t *testing.T) {
	dpu, host := connection(t)
	done := host.atFile()
	time.AfterFunc(1500*time.Millisecond, done)
	time.AfterFunc(2*time.Second, func() { assert.NoError(t, dpu.send(t.Context(), start{offset: 5})) })
	m, err := host.recv(t.Context())
	require.NoError(t, err)
	assert.Equal(t, start{offset: 5}, m)
	_, err = host.recv(t.Context())
	require.ErrorContains(t, err, "the other side has sent nothing for 1s")
}

// Who gives up before the file has its name does not get it, and after that is told that it is there.
func TestInterruptedAtTheEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, keep := range []bool{false, true} {
		d, err := createDestination(path, keep)
		require.NoError(t, err)
		require.NoError(t, d.f.Truncate(5))
		copying := &transfer{dst: d, cfg: config{file: path}, mode: 0o644}
		err = copying.commit(ctx)
		require.ErrorContains(t, err, "interrupted")
		assert.Equal(t, reasonInterrupted, reasonOf(err))
		assert.False(t, d.complete)
		d.release()
		assert.NoFileExists(t, path)
	}
	assert.Equal(t, []string{".f.part"}, names(t, filepath.Dir(path)))
}

// Its work ends when the other one gives up, or the user does.
func TestWorkingForNobody(t *testing.T) {
	forever := func(ctx context.Context) error {
		_, err := io.Copy(io.Discard, during{ctx, endless{}})
		return err
	}
	t.Run("gone", func(t *testing.T) {
		dpu, host := connection(t)
		go func() { _ = host.conn.Close() }()
		var gone *lostError
		require.ErrorAs(t, dpu.working(t.Context(), forever), &gone)
	})
	t.Run("given up", func(t *testing.T) {
		dpu, host := connection(t)
		go func() {
			ctx := context.Background()
			_ = host.conn.Send(ctx, status{reason: reasonSource}.encode())
			_ = host.conn.Flush(ctx)
			_ = host.conn.Close()
		}()
		var told *refused
		require.ErrorAs(t, dpu.working(t.Context(), forever), &told)
		assert.Equal(t, reasonSource, told.reason)
	})
	t.Run("says something", func(t *testing.T) {
		dpu, host := connection(t)
		go func() { assert.NoError(t, host.send(t.Context(), start{})) }()
		require.ErrorContains(t, dpu.working(t.Context(), forever), "out of order")
	})
	t.Run("interrupted", func(t *testing.T) {
		dpu, _ := connection(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		err := dpu.working(ctx, forever)
		assert.ErrorContains(t, err, "interrupted")
		assert.Equal(t, reasonInterrupted, reasonOf(err))
	})
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// A side that is stopped is given up in time, and that is said at once.
func TestStopped(t *testing.T) {
	t.Parallel()
	directions(t, func(t *testing.T, hostHas bool) {
		p := newPair(t)
		from, to := p.sides(hostHas)
		write(t, from+"/f", 64<<20)
		dpu, host := p.launchDPU(t, "--timeout 1", slow), p.launchHost(t, "--timeout 1")
		_, receiver := roles(dpu, host, hostHas)
		waitFor(t, func() bool { return receiver.received(t, to) >= 2<<20 })
		require.NoError(t, dpu.Process.Signal(syscall.SIGSTOP))
		host.says(t, "allow more time with --timeout")
		require.NoError(t, dpu.Process.Signal(syscall.SIGCONT))
		host.ends(t, 1)
		dpu.ends(t, 1)
		assert.Empty(t, names(t, to))
	})
}

// A second host is told why it cannot be served.
func TestSecondHost(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	write(t, p.host+"/f", 64<<20)
	dpu, host := p.launchDPU(t, "", slow), p.launchHost(t, "")
	waitFor(t, func() bool { return dpu.received(t, p.dpu) > 0 })
	p.launchHost(t, "").ends(t, 1, "it is copying with another host")
	dpu.ends(t, 0)
	host.ends(t, 0)
}

// Lines do not run into the progress bar.
func TestDisplay(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	d := &display{terminal: &terminal}
	log := d.lines(&terminal)
	for _, step := range []struct {
		w    io.Writer
		text string
	}{{log, "one\n"}, {d.bar(), "\r50%"}, {log, "two\n"}, {log, "three\n"}, {d.bar(), "\r60%"}} {
		_, err := io.WriteString(step.w, step.text)
		require.NoError(t, err)
	}
	assert.Equal(t, "one\n\r50%\r\x1b[2Ktwo\nthree\n\r60%", terminal.String())
}

// A bar that is longer than the line would be drawn below itself each time.
func TestBarFits(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{64, 80, 200} {
		var drawn bytes.Buffer
		bar := newBar(&drawn, columns, 1023e9)
		for range 2 { // with a rate
			time.Sleep(110 * time.Millisecond)
			require.NoError(t, bar.Add64(511e9))
		}
		frames := strings.Split(drawn.String(), "\r")
		assert.Greater(t, len(frames), 2)
		for _, frame := range frames {
			assert.Less(t, utf8.RuneCountInString(frame), columns)
		}
		assert.Contains(t, drawn.String(), "copying")
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "2.50 GB/s", rate(2.5e9))
	assert.Equal(t, "0.50 GB/s", rate(5e8))
	assert.Equal(t, "4.00 MB/s", rate(4e6))
	assert.Equal(t, "0.10 kB/s", rate(100))
}
