package doca_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/internal/selfexec"
)

func TestLeakIsReported(t *testing.T) {
	reports := make(chan doca.Object, 10)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	r := newRig(t)
	func() { must(r.Inv.Buffer(r.Mem, 7, 9))(t) }()
	o := collect(t, reports)
	if !strings.Contains(o.Name, "buffer#") || !strings.Contains(o.Name, "9 bytes at 7") {
		t.Errorf("leak of %q", o.Name)
	}
	if !strings.Contains(o.Site, "leak_test.go:") || !strings.Contains(o.Stack, "TestLeakIsReported") {
		t.Errorf("created at %q, stack\n%s", o.Site, o.Stack)
	}
	if leaks := doca.Leaks(); len(leaks) != 1 || leaks[0].Name != o.Name {
		t.Errorf("Leaks() = %v", leaks)
	}
	check(t, r.Inv.Close()) // the owner still closes it
	if leaks := doca.Leaks(); len(leaks) != 0 {
		t.Errorf("Leaks() = %v", leaks)
	}
	if n := doca.ReportOpenObjects(); n != len(doca.OpenObjects()) || n < 4 {
		t.Errorf("ReportOpenObjects() = %d", n)
	}
	for len(reports) > 0 {
		<-reports
	}
}

// oneOf makes a buffer behind some frames.
//
//go:noinline
func oneOf(t *testing.T, r *doctest.Rig, frames int) *doca.Buffer {
	if frames > 0 {
		return oneOf(t, r, frames-1)
	}
	return must(r.Inv.Buffer(r.Mem, 0, 8))(t)
}

// Each object has the place where it was made, and frames that are its own: all of them, or the inner ones if others were made there.
func TestStacks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var bufs []*doca.Buffer
	for range 3 {
		bufs = append(bufs, oneOf(t, r, 12))
	}
	for range 2 {
		bufs = append(bufs, must(r.Inv.Buffer(r.Mem, 0, 8))(t)) // elsewhere
	}
	objects := map[string]doca.Object{}
	for _, o := range doca.OpenObjects() {
		objects[o.Name] = o
	}
	first := objects[bufs[0].String()]
	assert.Contains(t, first.Stack, "oneOf")
	for i, b := range bufs {
		o := objects[b.String()]
		if i < 3 {
			assert.Equal(t, first.Site, o.Site)
			assert.Contains(t, o.Site, "doca_test.oneOf")
			assert.True(t, strings.HasPrefix(first.Stack, o.Stack), "the stack of buffer %d is another one:\n%s", i, o.Stack)
			if i > 0 { // with -count, the first buffer is not the first there, either
				assert.NotContains(t, o.Stack, "TestStacks")
			}
		} else {
			assert.Contains(t, o.Site, "doca_test.TestStacks")
			assert.Contains(t, o.Stack, "TestStacks")
		}
	}
}

// Objects that are closed through their owners are no leaks.
func TestNoFalseLeaks(t *testing.T) {
	reports := make(chan doca.Object, 1000)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	for range 20 {
		func() {
			r := openRig(t)
			r.Copy(t)
			list := must(r.Inv.Buffer(r.Mem, 0, 8))(t)
			for range 3 { // the list keeps its elements
				check(t, list.Chain(must(r.Inv.Buffer(r.Mem, 0, 8))(t)))
			}
			gc()
			if list.ListLen() != 4 || len(list.Elements()) != 4 {
				t.Error("the list lost elements")
			}
			check(t, r.Inv.Close())
			check(t, r.Dev.Close())
			check(t, r.PE.Close())
		}()
	}
	gc()
	select {
	case o := <-reports:
		t.Errorf("%s is called a leak; created at %s", o.Name, o.Site)
	default:
	}
}

// The default report is one line that says what and where.
func TestDefaultLeakReport(t *testing.T) {
	r := newRig(t)
	text := captureStderr(t, func() { doca.ReportOpenObjects() })
	want := fmt.Sprintf("doca: leak: %v was never closed; created at leak_test.go:", r.Mem)
	if strings.Count(text, want) != 1 {
		t.Errorf("stderr is %q, without %q", text, want)
	}
}

// Objects that were created at the same place share a line; the largest number comes first.
func TestDefaultLeakReportFolds(t *testing.T) {
	r := newRig(t)
	inv := must(doca.NewInventory(100))(t)
	defer inv.Close()
	var kept []*doca.Buffer
	for i := range 12 {
		kept = append(kept, must(inv.Buffer(r.Mem, i, 1))(t))
	}
	for i := range 5 {
		kept = append(kept, must(inv.Buffer(r.Mem, i, 1))(t))
	}
	text := captureStderr(t, func() { doca.ReportOpenObjects() })
	lines := strings.Split(text, "\n")
	line := regexp.MustCompile(`^doca: leak: buffer#\d+ \(.*\) was never closed; created at leak_test.go:\d+ \(.*TestDefaultLeakReportFolds\)( x (\d+))?$`)
	require.Greater(t, len(lines), 3, text)
	require.Regexp(t, line, lines[0])
	require.Regexp(t, line, lines[1])
	assert.Equal(t, "12", line.FindStringSubmatch(lines[0])[2])
	assert.Equal(t, "5", line.FindStringSubmatch(lines[1])[2])
	assert.NotContains(t, strings.Join(lines[2:], "\n"), " x 1\n")
	runtime.KeepAlive(kept)
}

//doca:ignore unclosed the leaks are what is tested
func init() {
	programs["leaks"] = func() {
		dev, err := doca.OpenDevice(dpu0)
		if err != nil {
			panic(err)
		}
		for range 12 {
			doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}})
		}
		ended := make(chan error)
		go func() {
			_, err := io.ReadAll(os.Stdin)
			ended <- err
		}()
		for { // until the collector has found them, and those that are alike were counted: the test has read it
			gc()
			select {
			case <-ended:
				runtime.KeepAlive(dev)
				return
			case <-time.After(40 * time.Millisecond):
			}
		}
	}
}

// So do those that the garbage collector finds: the first one has a line at once, and the others
// one together.
func TestLeaksOfTheCollectorFold(t *testing.T) {
	t.Parallel()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM=leaks")
	in := must(cmd.StdinPipe())(t)
	out := must(os.Create(filepath.Join(t.TempDir(), "stderr")))(t)
	defer out.Close()
	cmd.Stderr = out
	check(t, cmd.Start())
	line := regexp.MustCompile(`^doca: leak: memory#\d+ \(64 bytes\) was never closed; created at leak_test.go:\d+ \(.*\)( x (\d+) more)?$`)
	lines := 0
	leaks := func() (n int) {
		lines = 0
		for l := range strings.Lines(string(must(os.ReadFile(out.Name()))(t))) {
			lines++
			match := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
			if match == nil {
				return -1
			}
			n++
			if match[2] != "" {
				n += must(strconv.Atoi(match[2]))(t) - 1
			}
		}
		return n
	}
	assert.Eventually(t, func() bool { return leaks() >= 12 }, 20*time.Second, time.Millisecond)
	check(t, in.Close())
	check(t, cmd.Wait())
	assert.Equal(t, 12, leaks())
	assert.Less(t, lines, 12, "leaks that are found at once share a line")
}
