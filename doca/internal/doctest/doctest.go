// Package doctest is what the tests of doca and of the packages below it share. They run on
// the emulator.
package doctest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/spare"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// Main runs a package's tests and makes every one of them a leak test: what it leaves open,
// or running, fails the run.
func Main(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	end := selfexec.Apart()
	os.Setenv("DOCA_EMU_CHECK_OVERLAPS", "1") // no test has copies in flight on the same bytes
	if connect := "DOCA_EMU_COMCH_CONNECT_TIMEOUT"; os.Getenv(connect) == "" {
		os.Setenv(connect, "20000") // a server may be a process that has yet to start
	}
	before := runtime.NumGoroutine()
	code := m.Run()
	if open := doca.OpenObjects(); len(open) > 0 {
		for _, o := range open {
			fmt.Fprintf(os.Stderr, "left open: %s\n%s\n", o.Name, o.Stack)
		}
		code = 1
	}
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "goroutines left running:\n%s\n", stacks[:runtime.Stack(stacks, true)])
			code = 1
			break
		}
	}
	if err := removeCrashData(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	end()
	os.Exit(code)
}

// removeCrashData removes what the emulator has written about crashes on a DPA, which programs keep: beside the log, for a DPA that
// has a log.
func removeCrashData() error {
	var failed error
	for _, pattern := range []string{"doca_dpa_fatal.%d.*", "doca-dpa-*/log.%d.*"} {
		files, err := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf(pattern, os.Getpid())))
		failed = errors.Join(failed, err)
		for _, file := range files {
			failed = errors.Join(failed, os.Remove(file))
			if dir := filepath.Dir(file); dir != filepath.Clean(os.TempDir()) {
				_ = os.Remove(dir) // it has another file, or is empty
			}
		}
	}
	return failed
}

// Must returns the value, or ends the test.
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Check ends the test if there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WantErr checks that err is want and that its text has all the words.
func WantErr(t testing.TB, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

// Faults applies faults until the end of the test, which cannot be parallel then.
func Faults(t testing.TB, spec string) {
	t.Helper()
	if strings.Contains(spec, "doca_pe_") { // of engines that are made and destroyed
		WithoutSpares(t)
	}
	Check(t, emulator.SetFaults(spec))
	t.Cleanup(emulator.ClearFaults)
}

// WithoutSpares makes and destroys each engine anew until the end of the test, which cannot be parallel then.
func WithoutSpares(t testing.TB) { t.Cleanup(spare.Without()) }

// CollectLeak waits for a leak report.
func CollectLeak(t testing.TB, reports <-chan doca.Object) doca.Object {
	t.Helper()
	for range 1000 {
		runtime.GC()
		select {
		case o := <-reports:
			return o
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatal("no leak was reported")
	return doca.Object{}
}
