package alltests

import (
	"context"
	"errors"
	"fmt"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

// sweepLimit is how long a scenario, and then its end, may take.
const sweepLimit = 20 * time.Second

// perform plays a scenario with faults, checks its errors, and closes all. It returns the functions that have failed.
func perform(t *testing.T, scenario func(*play), spec string) (found []string) {
	t.Helper()
	p := &play{}
	p.ctx, p.cancel = context.WithTimeout(context.Background(), sweepLimit)
	defer p.cancel()
	nothing := doca.OpenObjects()
	require.NoError(t, emulator.SetFaults(spec), "%q", spec)
	defer emulator.ClearFaults()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(scenario)
	}()
	select {
	case <-ended:
	case <-time.After(2 * sweepLimit):
		stacks := make([]byte, 1<<20)
		t.Fatalf("%s: the scenario hangs:\n%s", spec, stacks[:runtime.Stack(stacks, true)])
	}
	for _, err := range p.errs {
		found = append(found, failed(err)...)
		checkError(t, spec, err)
	}
	assert.NotErrorIs(t, p.ctx.Err(), context.DeadlineExceeded, "%s: some call has waited for the end of the scenario", spec)
	if spec == "" {
		require.Empty(t, p.errs, "without faults")
	}
	slices.Reverse(p.opened)
	for _, c := range p.opened {
		for try := 0; ; try++ {
			err := inTime(t, c)
			if err == nil {
				break
			}
			found = append(found, failed(err)...)
			checkError(t, spec, err)
			if try == 3 { // the fault is for each call
				emulator.ClearFaults()
			}
			require.Less(t, try, 10, "%s: Close of %v: %v", spec, c, err)
		}
	}
	emulator.ClearFaults()
	for _, c := range p.opened {
		require.NoError(t, c.Close(), "%s: Close of %v once more", spec, c)
	}
	require.Equal(t, nothing, doca.OpenObjects(), "%s: left open after %v", spec, p.errs)
	runtime.KeepAlive(p)
	if len(found) == 0 && len(p.errs) > 0 {
		found = []string{"an error without a function"}
	}
	return found
}

// checkError checks that an error says which operation of which object has failed, and DOCA's code.
func checkError(t *testing.T, spec string, err error) {
	t.Helper()
	var wrong wrongResult
	if errors.As(err, &wrong) {
		t.Errorf("%s: %v", spec, err)
		return
	}
	if isConsequence(err) {
		return
	}
	var code abi.Error
	if !errors.As(err, &code) {
		t.Errorf("%s: %v has no code of DOCA", spec, err)
	}
	var op *doca.OpError
	var call *abi.CallError // of questions about a device, which have no other object
	if text := err.Error(); !(errors.As(err, &op) && op.Op != "" || errors.As(err, &call)) || !strings.Contains(text, code.String()) {
		t.Errorf("%s: %q does not say which operation has failed, with which code", spec, text)
	}
}

// ends matches the functions that end what others have begun.
var ends = regexp.MustCompile("_(destroy|close|stop|disconnect|dec_refcount|reject)")

// callsOf returns the functions that a scenario calls, of those that can fail, and all that end something: a failure in there
// is for runs of its own.
func callsOf(t *testing.T, scenario func(*play), candidates []string) (calls []string) {
	t.Helper()
	begin := func(f string) bool { return !ends.MatchString(f) }
	calls = slices.DeleteFunc(slices.Clone(candidates), begin)
	candidates = slices.DeleteFunc(slices.Clone(candidates), ends.MatchString)
	for part := range slices.Chunk(candidates, 60) { // the emulator takes 64 faults
		for {
			var spec []string
			for _, f := range part {
				spec = append(spec, fmt.Sprintf("fail-call=%s:1", f))
			}
			found := perform(t, scenario, strings.Join(spec, ","))
			before := len(part)
			part = slices.DeleteFunc(slices.Clone(part), func(f string) bool { return slices.Contains(found, f) })
			for _, f := range found {
				if slices.Contains(candidates, f) {
					calls = append(calls, f)
				}
			}
			if len(part) == before {
				break
			}
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

// inUse counts what a process has of the system.
func inUse(t *testing.T) (descriptors, threads int) {
	t.Helper()
	fds := must(os.ReadDir("/proc/self/fd"))(t)
	tasks := must(filepath.Glob("/proc/self/task/*"))(t)
	return len(fds), len(tasks)
}

// Each DOCA call of each package fails once: the Nth of each function. The error says what has failed, nothing hangs, all can be
// closed, nothing is left, and the next run in the process works. With DOCA_SWEEP=long it looks further.
func TestEachCallFails(t *testing.T) {
	doctest.WithoutSpares(t) // so that doca_pe_create and doca_pe_destroy are called, and no descriptors are kept
	dir := filepath.Join(t.TempDir(), "doca")
	t.Setenv("DOCA_EMU_RUNTIME_DIR", dir)
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "300")
	candidates := functions(t)
	for f := range inCallbacks {
		if emulator.SetFaults("fail-call="+f+":1") == nil {
			candidates = append(candidates, f)
		}
	}
	long := os.Getenv("DOCA_SWEEP") == "long"
	most, patience := 6, 2
	if long {
		most, patience = 100, 5
	}
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) {
			perform(t, scenario, "")
			runs := 0
			calls := callsOf(t, scenario, candidates)
			for _, f := range candidates { // their errors may name another function
				if !slices.Contains(calls, f) && (long || inCallbacks[f] || strings.HasPrefix(f, "doca_pe_")) {
					if len(perform(t, scenario, "fail-call="+f+":1")) > 0 {
						calls = append(calls, f)
					}
				}
			}
			fds, threads := inUse(t)
			failures := map[string]int{}
			for _, f := range calls {
				for n, without := 1, 0; n <= most && without < patience; n++ { // some calls may fail without a word
					runs++
					if len(perform(t, scenario, fmt.Sprintf("fail-call=%s:%d", f, n))) > 0 {
						failures[f]++
						without = 0
					} else {
						without++
					}
				}
			}
			perform(t, scenario, "")
			assert.EventuallyWithT(t, func(c *assert.CollectT) {
				fdsNow, threadsNow := inUse(t)
				assert.LessOrEqual(c, fdsNow, fds, "descriptors")
				assert.LessOrEqual(c, threadsNow, threads+8, "threads; Go makes some of its own")
			}, 20*time.Second, 10*time.Millisecond)
			assert.NoDirExists(t, dir)
			calls = slices.DeleteFunc(calls, func(f string) bool { return failures[f] == 0 })
			t.Logf("%d runs, %d functions: %v", runs, len(calls), calls)
		})
	}
}

// Each DOCA call fails once, and then the first call of each function that would take back what there is. What is left of an object that
// nobody has got is closed with its owners.
func TestNothingIsTakenBack(t *testing.T) {
	doctest.WithoutSpares(t)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", filepath.Join(t.TempDir(), "doca"))
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "300")
	candidates := functions(t)
	var back []string
	for _, f := range candidates {
		if strings.HasSuffix(f, "_destroy") {
			back = append(back, "fail-call="+f+":1")
		}
	}
	require.Less(t, len(back), 63, "the emulator takes 64 faults")
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) {
			for _, f := range callsOf(t, scenario, candidates) {
				if !ends.MatchString(f) {
					perform(t, scenario, strings.Join(append([]string{"fail-call=" + f + ":1"}, back...), ","))
				}
			}
			perform(t, scenario, "")
		})
	}
}

// Each task of each package fails once, is refused, finds its pool empty, loses its device or breaks its connection. It ends like a call that
// fails.
func TestEachTaskFails(t *testing.T) {
	t.Setenv("DOCA_EMU_RUNTIME_DIR", filepath.Join(t.TempDir(), "doca"))
	for name, scenario := range scenarios {
		for _, fault := range []string{"fail-task", "refuse-task", "exhaust-pool", "lose-device", "cut", "rnr"} {
			if name == "comchnet" && fault == "fail-task" {
				continue // a buffer that is lost is noticed by the next Write or Close alone, and the peer waits for it until then
			}
			t.Run(name+"/"+fault, func(t *testing.T) {
				n := 1
				for without := 0; n <= 200 && without < 3; n++ {
					if len(perform(t, scenario, fmt.Sprintf("%s=%d", fault, n))) > 0 {
						without = 0
					} else {
						without++
					}
				}
				perform(t, scenario, "")
				t.Logf("%d runs", n)
			})
		}
	}
}
