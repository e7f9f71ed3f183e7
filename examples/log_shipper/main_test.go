package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// The test's own binary is the program, too.
func TestMain(m *testing.M) {
	if os.Getenv("LOG_SHIPPER_TEST") != "" {
		main()
		os.Exit(0)
	}
	end := selfexec.Apart()
	code := m.Run()
	end()
	os.Exit(code)
}

// pair is a server and its clients.
type pair struct {
	t         *testing.T
	name, dir string
}

func newPair(t *testing.T) *pair {
	return &pair{t: t, name: fmt.Sprintf("log-shipper-%d-%s", os.Getpid(), t.Name()), dir: t.TempDir()}
}

// process is one of the programs.
type process struct {
	*exec.Cmd
	input io.WriteCloser
	out   *output
}

// output is what a process has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (p *pair) start(args ...string) *process {
	cmd := selfexec.Command(p.t, append(args, "-n", p.name)...)
	cmd.Env = append(os.Environ(), "LOG_SHIPPER_TEST=1", "DOCA_PROVIDER=emulator", "DOCA_EMU_COMCH_CONNECT_TIMEOUT=100")
	out := new(output)
	cmd.Stdout, cmd.Stderr = out, out
	input, err := cmd.StdinPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		cmd.Process.Kill() // unless it has ended
		cmd.Wait()
	})
	return &process{cmd, input, out}
}

func (p *pair) server() *process { return p.start("-server", "-dir", p.dir) }

func (p *pair) client(id string) *process {
	return p.start("-client", "-p", "b1:00.0", "-id", id)
}

func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

// file returns what the server has of a client.
func (p *pair) file(id string) string {
	b, err := os.ReadFile(filepath.Join(p.dir, id+".log"))
	if !os.IsNotExist(err) {
		require.NoError(p.t, err)
	}
	return string(b)
}

// has waits until the server has a number of lines.
func (p *pair) has(id string, lines int) {
	require.Eventually(p.t, func() bool { return strings.Count(p.file(id), "\n") >= lines }, 20*time.Second, 2*time.Millisecond)
}

// lines are numbered, and of many lengths.
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%d %s\n", i, strings.Repeat("x", i*7%200))
	}
	return b.String()
}

// A server that is killed and started again, also before it was ever there, costs no line and doubles none.
func TestServerKilled(t *testing.T) {
	p := newPair(t)
	const rounds, each = 6, 3000
	client := p.client("web1")
	go func() { // all the time
		for i := range rounds {
			io.WriteString(client.input, lines(i*each, (i+1)*each))
		}
		client.input.Close()
	}()
	for i := range rounds {
		server := p.server()
		p.has("web1", i*each/2)
		server.kill()
		if i == 2 { // as if it was killed while it wrote a line
			f, err := os.OpenFile(filepath.Join(p.dir, "web1.log"), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("half a li")
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
	}
	server := p.server()
	require.NoError(t, client.Wait(), client.out)
	assert.Equal(t, lines(0, rounds*each), p.file("web1"))
	assert.Contains(t, client.out.String(), fmt.Sprintf("the server has all %d lines", rounds*each))
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, server.Wait(), server.out)
}

// A client that is killed and started again with the same input goes on where the server is, and so does one that
// connects while its old connection is still there.
func TestClientKilled(t *testing.T) {
	p := newPair(t)
	p.server()
	for i := range 3 {
		client := p.client("web1")
		io.WriteString(client.input, lines(0, (i+1)*1000))
		p.has("web1", (i+1)*1000)
		if i == 1 {
			selfexec.Stop(t, client.Process)
			continue // the next one takes over
		}
		client.kill()
	}
	other := p.client("web2")
	io.WriteString(other.input, "one\n\nno end")
	other.input.Close()
	require.NoError(t, other.Wait(), other.out)
	assert.Equal(t, lines(0, 3000), p.file("web1"))
	assert.Equal(t, "one\n\nno end\n", p.file("web2"))

	// The server has more than this client: it is another one's file.
	wrong := p.client("web2")
	io.WriteString(wrong.input, "one\n")
	wrong.input.Close()
	assert.Error(t, wrong.Wait())
	assert.Contains(t, wrong.out.String(), "give this client another -id")
	assert.Equal(t, "one\n\nno end\n", p.file("web2"))
}

func TestErrors(t *testing.T) {
	p := newPair(t)
	for name, c := range map[string]struct {
		args  []string
		input string
		want  string
	}{
		"no side":      {nil, "", "give either -server"},
		"both sides":   {[]string{"-client", "-server"}, "", "give either -server"},
		"no id":        {[]string{"-client"}, "", `"" is no id`},
		"a path":       {[]string{"-client", "-id", "../x"}, "", `"../x" is no id`},
		"long line":    {[]string{"-client", "-p", "b1:00.0", "-id", "long"}, strings.Repeat("x", 4073), "line 1 has 4073 bytes, the longest possible one 4072"},
		"no device":    {[]string{"-client", "-p", "99:00.0", "-id", "x"}, "", "99:00.0"},
		"wrong side":   {[]string{"-client", "-p", "03:00.0", "-id", "x"}, "x\n", "clients run on the host"},
		"other server": {[]string{"-server"}, "", "another server for this function has this name"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pair{t: t, name: p.name, dir: p.dir}
			if name == "long line" || name == "other server" {
				server := p.server()
				require.Eventually(t, func() bool { return strings.Contains(server.out.String(), "serving") }, 20*time.Second, 2*time.Millisecond)
				defer server.kill()
			}
			cmd := p.start(c.args...)
			io.WriteString(cmd.input, c.input)
			cmd.input.Close()
			assert.Error(t, cmd.Wait())
			assert.Contains(t, cmd.out.String(), c.want)
		})
	}
}
