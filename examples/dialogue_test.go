package examples

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dialogue is a program that runs, and that the test types Enter for.
type dialogue struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   output
	ended chan struct{}
}

// output is what a program has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// startDialogue starts a program on the emulator, in a runtime directory.
func startDialogue(t *testing.T, runtimeDir, program string, args ...string) *dialogue {
	d := &dialogue{cmd: exec.Command(program, args...), ended: make(chan struct{})}
	d.cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+runtimeDir, "DOCA_EMU_RDMA_ADDRESS=none",
		"GOGC=1") // leaks are reported at collections
	d.cmd.Stdout, d.cmd.Stderr = &d.out, &d.out
	in, err := d.cmd.StdinPipe()
	require.NoError(t, err)
	d.in = in
	require.NoError(t, d.cmd.Start())
	go func() {
		defer close(d.ended)
		_ = d.cmd.Wait()
	}()
	stop := time.AfterFunc(time.Minute, d.kill)
	t.Cleanup(func() {
		stop.Stop()
		d.kill()
		<-d.ended
	})
	return d
}

// enter presses Enter. The program may have ended.
func (d *dialogue) enter() { _, _ = io.WriteString(d.in, "\n") }

func (d *dialogue) kill() { _ = d.cmd.Process.Kill() }

// end waits for the end of the program, and checks its exit status.
func (d *dialogue) end(t *testing.T, status int) {
	t.Helper()
	<-d.ended
	assert.Equal(t, status, d.cmd.ProcessState.ExitCode(), "%s\n%s", d.cmd, &d.out)
	assert.NotContains(t, d.out.String(), "leak")
}

// until waits until something is so, or the program has ended.
func (d *dialogue) until(t *testing.T, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-d.ended:
			if !is() {
				require.FailNow(t, "the program has ended", "%s\n%s", d.cmd, &d.out)
			}
		case <-time.After(time.Millisecond):
		}
	}
}

// file returns what the program has written to a file, once that is something else than before.
func (d *dialogue) file(t *testing.T, path string, before []byte) []byte {
	t.Helper()
	var content []byte
	d.until(t, func() bool {
		content, _ = os.ReadFile(path)
		return len(content) > 0 && !bytes.Equal(content, before)
	})
	return content
}
