// Package storage tests the storage applications as users run them: as three processes.
package storage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bin is where the programs are.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "storage")
	if err == nil {
		bin = dir
		var out []byte
		if out, err = exec.Command("go", append(build, "-o", dir, "./...")...).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	status := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// patience limits the waits of tests for programs.
const patience = 60 * time.Second

// program is a program that was started.
type program struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}

	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed when text grows
}

// bench is where the programs of a test meet.
type bench struct {
	dir  string // the emulator's
	host string // the target's
	port string // the target's

	wrap func(program string) (command []string, env []string) // how programs are started; nil: as they are
}

// free limits the benches at a time: the programs of each keep cores busy, and their time limits hold all the same.
var free = make(chan struct{}, 2)

func newBench(t *testing.T) *bench {
	free <- struct{}{}
	t.Cleanup(func() { <-free })
	b := &bench{dir: filepath.Join(t.TempDir(), "run"), host: "127.0.0.1"}
	t.Cleanup(func() { assert.NoDirExists(t, b.dir, "the programs leave their directory") })
	return b
}

// start starts a program on one side of the emulator.
func (b *bench) start(t *testing.T, side, name, args string) *program {
	t.Helper()
	var command, env []string
	if b.wrap != nil {
		command, env = b.wrap(name)
	}
	command = append(append(command, filepath.Join(bin, name)), strings.Fields(args)...)
	p := &program{name: name, cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{}), more: make(chan struct{})}
	p.cmd.Env = append(append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+b.dir, "DOCA_EMU_SIDE="+side), env...)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	p.cmd.Stdout, p.cmd.Stderr = w, w
	require.NoError(t, p.cmd.Start())
	w.Close()
	go func() {
		defer close(p.done)
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadString('\n')
			p.mu.Lock()
			p.text.WriteString(line)
			close(p.more)
			p.more = make(chan struct{})
			p.mu.Unlock()
			if err == io.EOF {
				break
			}
		}
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("%s %s:\n%s", name, args, p.output())
		}
	})
	return p
}

func (p *program) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// says waits until the output matches.
func (p *program) says(t *testing.T, pattern string) []string {
	t.Helper()
	re, limit := regexp.MustCompile(pattern), time.After(patience)
	for {
		p.mu.Lock()
		found, more := re.FindStringSubmatch(p.text.String()), p.more
		p.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case <-more:
		case <-p.done:
			if found := re.FindStringSubmatch(p.output()); found != nil {
				return found
			}
			require.Fail(t, "the program has ended", "%s did not say %q:\n%s", p.name, pattern, p.output())
		case <-limit:
			require.Fail(t, "timeout", "%s did not say %q:\n%s", p.name, pattern, p.output())
		}
	}
}

// ends waits for the end of the program.
func (p *program) ends(t *testing.T, status int, wants ...string) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		require.Fail(t, "timeout", "%s does not end:\n%s", p.name, p.output())
	}
	assert.Equal(t, status, p.cmd.ProcessState.ExitCode(), "%s:\n%s", p.name, p.output())
	for _, want := range wants {
		assert.Contains(t, p.output(), want, p.name)
	}
	assert.NotContains(t, p.output(), "leak", p.name)
	assert.NotContains(t, p.output(), "panic", p.name)
}

// stopsByItself waits for the end of a program whose peer has gone.
func (p *program) stopsByItself(t *testing.T) {
	t.Helper()
	p.ends(t, 1, "EXCEPTION: ")
}

func (p *program) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(s))
}

// target starts a target on a port of its choice.
func (b *bench) target(t *testing.T, args string) *program {
	t.Helper()
	p := b.start(t, "dpu", "target_rdma", "-d 03:00.1 --listen-port 0 "+args)
	b.port = p.says(t, `Waiting for the BlueField at port (\d+)`)[1]
	return p
}

// relay starts the BlueField's program.
func (b *bench) relay(t *testing.T, args string) *program {
	t.Helper()
	return b.start(t, "dpu", "comch_to_rdma_zero_copy", "-d 03:00.0 -r b1:00.0 --storage-server "+b.host+":"+b.port+" "+args)
}

func (b *bench) initiator(t *testing.T, args string) *program {
	t.Helper()
	return b.start(t, "host", "initiator_comch", "-d b1:00.0 "+args)
}

// works makes sure that a run on this bench succeeds, whatever was there before.
func (b *bench) works(t *testing.T) {
	t.Helper()
	target := b.target(t, "--cpu 0")
	relay := b.relay(t, "--cpu 0")
	initiator := b.initiator(t, "--cpu 0 --execution-strategy read_write_data_validity_test --run-limit-operation-count 200")
	initiator.ends(t, 0, "| Operation count: 200\n")
	relay.ends(t, 0)
	target.ends(t, 0)
}
