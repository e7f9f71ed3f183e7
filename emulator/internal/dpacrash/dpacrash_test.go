// SPDX-License-Identifier: Apache-2.0

package dpacrash

import (
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

var failed = Result{Call: int(doca.ErrDriver), Peek: int(doca.ErrBadState)}

// The test of a crash on the host runs this program again.
const crashOnHost = "DPACRASH_ON_HOST"

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dpacrash")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", dir) // for the files about crashes
	os.Setenv("DOCA_EMU_DPA_MAX_RUN_TIME", "200")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// A kernel that fails is an error of its context, whatever it does. Other kernels do not notice.
func TestFaults(t *testing.T) {
	for _, fault := range []Fault{Null, Trap, Overflow, Hang, Handle} {
		assert.Equal(t, failed, Run(fault), "fault %d", fault)
		assert.Equal(t, Result{}, Run(Nothing))
	}
}

func recovered(f func()) (what any) {
	defer func() { what = recover() }()
	f()
	return nil
}

// The Go runtime goes on handling its own signals: nil pointers, and what preempts goroutines.
func TestGoRuntime(t *testing.T) {
	var wg sync.WaitGroup
	end := time.Now().Add(300 * time.Millisecond)
	for range 4 {
		wg.Go(func() {
			for time.Now().Before(end) {
				var p *int
				assert.ErrorContains(t, recovered(func() { *p = 1 }).(error), "nil pointer")
				zero := 0
				assert.ErrorContains(t, recovered(func() { zero = 1 / zero }).(error), "divide by zero")
			}
		})
		wg.Go(func() {
			for time.Now().Before(end) {
				assert.Equal(t, failed, Run(Null))
			}
		})
	}
	wg.Go(func() { assert.Equal(t, failed, Run(Hang)) })
	wg.Wait()
}

// A crash outside of kernels is still that of whose handler was there before: the Go runtime, or AddressSanitizer.
func TestCrashOnHost(t *testing.T) {
	if os.Getenv(crashOnHost) != "" {
		Run(Null)
		CrashOnHost()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashOnHost$")
	cmd.Env = append(os.Environ(), crashOnHost+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Regexp(t, "(?s)signal arrived during cgo execution.*CrashOnHost|AddressSanitizer: SEGV on unknown address 0x000000000008 ", string(out))
}
