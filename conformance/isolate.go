// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
)

// childVariable is in the environment of a process that Run has started: it has an order in JSON.
const childVariable = "GO_DOCA_CONFORMANCE_CHILD"

// The files that a child inherits.
const (
	fileResults = 3 // where it writes its progress
	filePeer    = 4 // what leads to the other side, if it has one
)

// order is what a child is to do.
type order struct {
	Side     string
	Cases    []string
	First    int // the number of the first case
	Peer     bool
	Apart    bool
	Device   string
	GIDIndex *uint32
	Timeout  time.Duration
}

// note is what a child says of a case.
type note struct {
	Begin   string  `json:"begin,omitempty"`
	Waiting bool    `json:"waiting,omitempty"` // for the other side: this one does not hang
	Result  *Result `json:"result,omitempty"`
}

// Child runs the cases that [Run] of the parent process has asked for, and ends the process. In all other processes it
// does nothing. A program whose options say Isolate calls it first thing in main, a test in TestMain.
func Child() {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	os.Unsetenv(childVariable)
	if err := runChild(text); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runChild(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	info, err := abi.Active()
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.NewFile(fileResults, "results"))
	env := &environment{version: info.Version, device: o.Device, gidIndex: o.GIDIndex, timeout: o.Timeout, apart: o.Apart}
	env.waiting = func() { _ = out.Encode(note{Waiting: true}) }
	var peer *line
	if o.Peer {
		peer = newLine(os.NewFile(filePeer, "peer"))
	}
	all := byName()
	for i, name := range o.Cases {
		c, ok := all[name]
		if !ok {
			return fmt.Errorf("no case %q", name)
		}
		if err := out.Encode(note{Begin: name}); err != nil {
			return err
		}
		var k *talk
		if peer != nil {
			k = &talk{line: peer, number: o.First + i, host: o.Side == sideHost}
		}
		result := env.ask(c, o.Side, k)
		if err := out.Encode(note{Result: &result}); err != nil {
			return err
		}
	}
	return nil
}

func byName() map[string]Case {
	m := map[string]Case{}
	for _, c := range Cases() {
		m[c.Name] = c
	}
	return m
}

// runIsolated runs the cases of each library in a child, and those of two sides in two.
func (r *runner) runIsolated(alone, pairs []Case) error {
	for len(alone) > 0 {
		n := 1
		for n < len(alone) && alone[n].Library == alone[0].Library {
			n++
		}
		if err := r.runGroup(alone[:n]); err != nil {
			return err
		}
		alone = alone[n:]
	}
	return r.runPairs(pairs)
}

// runGroup runs cases of one side in a child. If it ends too early, another one goes on behind the case that was running.
func (r *runner) runGroup(cases []Case) error {
	for len(cases) > 0 {
		child, err := r.start(sideDPU, cases, 0, nil)
		if err != nil {
			return err
		}
		n, err := child.follow(cases, r.note)
		if err != nil {
			return err
		}
		cases = cases[n:]
	}
	return nil
}

// runPairs runs cases of two sides in two children.
func (r *runner) runPairs(cases []Case) error {
	for first := 0; first < len(cases); {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		ends := [2]*os.File{os.NewFile(uintptr(fds[0]), "dpu"), os.NewFile(uintptr(fds[1]), "host")}
		host, err := r.start(sideHost, cases[first:], first, ends[1])
		if err != nil {
			return errors.Join(err, ends[0].Close(), ends[1].Close())
		}
		dpu, err := r.start(sideDPU, cases[first:], first, ends[0])
		if err != nil {
			host.kill()
			return errors.Join(err, host.wait(), ends[0].Close(), ends[1].Close())
		}
		// While the ends are open here, a child waits for one that has died, and is ended in its turn.
		n, err := r.followBoth(dpu, host, cases[first:])
		if err = errors.Join(err, ends[0].Close(), ends[1].Close()); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// followBoth follows two children until both have gone through their cases, or one has failed: then it ends both. It
// returns how many cases are done with.
func (r *runner) followBoth(dpu, host *child, cases []Case) (int, error) {
	var hosts []Result
	hostDone := make(chan struct{})
	var hostErr error
	go func() {
		defer close(hostDone)
		_, hostErr = host.follow(cases, func(result Result) { hosts = append(hosts, result) })
		if last := len(hosts) - 1; last >= 0 && hosts[last].Status.weight() >= Timeout.weight() {
			dpu.fail(hosts[last])
		}
	}()
	n, err := dpu.follow(cases, func(result Result) {
		if result.Status.weight() >= Timeout.weight() {
			host.fail(result)
		}
		r.note(result)
	})
	<-hostDone
	return n, errors.Join(err, hostErr)
}

// child is a process that runs cases.
type child struct {
	cmd     *exec.Cmd
	results *os.File
	stderr  tail
	timeout time.Duration
	done    <-chan struct{} // of the context

	mu      sync.Mutex
	because *Result // what the other side has died of
	hung    bool
}

func (r *runner) start(side string, cases []Case, first int, peer *os.File) (*child, error) {
	o := order{Side: side, First: first, Peer: peer != nil, Apart: r.env.apart, Device: r.options.Device, GIDIndex: r.options.GIDIndex, Timeout: r.options.Timeout}
	for _, c := range cases {
		o.Cases = append(o.Cases, c.Name)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	k := &child{cmd: exec.Command(self), results: out, timeout: r.options.Timeout, done: r.ctx.Done()}
	k.cmd.Args[0] = os.Args[0] // a program may go by its name
	k.cmd.Env = append(os.Environ(), childVariable+"="+string(text), "DOCA_PROVIDER="+r.report.Provider)
	k.cmd.Stderr = &k.stderr
	k.cmd.ExtraFiles = []*os.File{in}
	if peer != nil {
		k.cmd.ExtraFiles = append(k.cmd.ExtraFiles, peer)
	}
	err = k.cmd.Start()
	in.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	return k, nil
}

func (k *child) kill() { _ = k.cmd.Process.Kill() }

// fail ends the child because of the other side's result.
func (k *child) fail(because Result) {
	k.mu.Lock()
	k.because = &because
	k.mu.Unlock()
	k.kill()
}

// ended tells whether the child has not ended by itself.
func (k *child) ended() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.because != nil || k.hung
}

func (k *child) wait() error {
	err := k.cmd.Wait()
	k.results.Close()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// follow passes on the child's results and returns how many cases are done with. The result of a case during which the
// process ends is a crash, or a time-out if it was ended for that.
func (k *child) follow(cases []Case, pass func(Result)) (int, error) {
	n, running, began := 0, false, time.Now()
	notes := k.notes()
	timer := time.NewTimer(k.timeout + 5*time.Second) // for the process to begin
	defer timer.Stop()
	stopped := false
	for open := true; open; {
		select {
		case m, ok := <-notes:
			open = ok
			switch {
			case m.Result != nil:
				pass(*m.Result)
				n++
				running = false
			case m.Begin != "":
				running, began = true, time.Now()
			}
			timer.Reset(k.timeout + 2*time.Second)
		case <-timer.C:
			k.mu.Lock()
			k.hung = true
			k.mu.Unlock()
			k.kill()
		case <-k.done:
			stopped, k.done = true, nil
			k.kill()
		}
	}
	if err := k.wait(); err != nil {
		return n, err
	}
	if stopped {
		return n, errors.New("interrupted")
	}
	if n == len(cases) {
		return n, nil
	}
	if !running && !k.ended() {
		if n == 0 {
			return 0, fmt.Errorf("a child process has not run any case: %s: %s", k.cmd.ProcessState, strings.TrimSpace(k.stderr.String()))
		}
		began = time.Now()
	}
	pass(k.cause(cases[n], began))
	return n + 1, nil
}

// cause is the result of the case that was running when the process ended.
func (k *child) cause(c Case, began time.Time) Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.because != nil {
		result := *k.because
		result.Reason = "host: " + result.Reason
		return result
	}
	if k.hung {
		return c.hung(k.timeout)
	}
	result := c.skippedFor("")
	result.Status, result.Duration = Crashed, Duration(time.Since(began))
	result.Reason = crashText(k.cmd.ProcessState.String(), k.stderr.String())
	return result
}

var signalName = regexp.MustCompile(`SIG[A-Z]+: [a-z ]+`)

// crashText says how a process has ended: by a signal that the runtime of Go has reported, or as the state says.
func crashText(state, stderr string) string {
	if name := signalName.FindString(stderr); name != "" {
		return name
	}
	text := state
	if lines := strings.Split(strings.TrimSpace(stderr), "\n"); lines[len(lines)-1] != "" {
		text += ": " + lines[len(lines)-1]
	}
	return text
}

// notes reads what the child says, until it ends.
func (k *child) notes() <-chan note {
	c := make(chan note)
	go func() {
		defer close(c)
		in := json.NewDecoder(bufio.NewReader(k.results))
		for {
			var n note
			if err := in.Decode(&n); err != nil {
				return
			}
			c <- n
		}
	}()
	return c
}

// tail keeps the first and the last bytes that are written to it: Go names the signal first.
type tail struct {
	mu          sync.Mutex
	first, last bytes.Buffer
}

const tailSize = 16 << 10

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := b
	if room := tailSize - t.first.Len(); room > 0 {
		n := min(room, len(rest))
		t.first.Write(rest[:n])
		rest = rest[n:]
	}
	t.last.Write(rest)
	if t.last.Len() > tailSize {
		t.last.Next(t.last.Len() - tailSize)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first.String() + t.last.String()
}
