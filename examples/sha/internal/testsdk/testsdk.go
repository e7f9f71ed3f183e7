// Package testsdk runs tests on an SDK that has the library of this example.
package testsdk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
)

const restarted = "GODOCA_SHA_TESTSDK" // set in the environment of the test program that restart starts

// Main builds the SDK, and runs the tests with it. What they leave open, or running, fails the run.
func Main(m *testing.M) {
	if os.Getenv(restarted) == "" {
		fmt.Fprintln(os.Stderr, restart())
		os.Exit(1)
	}
	before := runtime.NumGoroutine()
	code := m.Run()
	if n := doca.ReportOpenObjects(); n > 0 {
		code = 1
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "goroutines left running:\n%s\n", stacks[:runtime.Stack(stacks, true)])
			code = 1
			break
		}
	}
	os.Exit(code)
}

// restart starts the test program anew: the dynamic linker reads LD_LIBRARY_PATH only once. It
// returns only on errors.
func restart() error {
	prefix, err := build()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for name, value := range map[string]string{restarted: "1", "DOCA_PROVIDER": "sdk", "LD_LIBRARY_PATH": filepath.Join(prefix, "lib")} {
		if err := os.Setenv(name, value); err != nil { // in the place of what is there: of two values, the first one counts
			return err
		}
	}
	return syscall.Exec(self, os.Args, os.Environ())
}

// Root returns the directory of the example.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Prefix returns the directory that the SDK is installed in. With SANITIZE=1 in the environment its
// C code is under AddressSanitizer and UndefinedBehaviorSanitizer, which go test -asan has to load.
func Prefix() string {
	name := "sdk"
	if os.Getenv("SANITIZE") != "" {
		name += "-sanitize"
	}
	return filepath.Join(Root(), "build", name)
}

// build builds the SDK, if it is not up to date. Several test programs may do so at the same time.
func build() (prefix string, err error) {
	prefix = Prefix()
	if err := os.MkdirAll(prefix, 0o777); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(prefix, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	cmd := exec.Command("make", "-s", "-C", filepath.Join(Root(), "sdk"), "PREFIX="+prefix)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return prefix, nil
}
