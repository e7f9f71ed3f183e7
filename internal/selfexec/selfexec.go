// Package selfexec starts a test's own binary once more, as another process, stops processes, finds ports where none listens, and
// keeps tests apart that run at the same time.
package selfexec

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Runner names the environment variable with the command that runs a test's binary where the machine cannot: for
// arm64 on amd64 "qemu-aarch64 -L /usr/aarch64-linux-gnu". The flag -exec of go test takes the same command, but
// keeps it from the test.
const Runner = "GO_DOCA_TEST_RUNNER"

// Command prepares the test's binary with other arguments, under the [Runner] if there is one.
func Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(append(strings.Fields(os.Getenv(Runner)), self), args...)
	return exec.Command(argv[0], argv[1:]...)
}

// Stop stops a process (SIGSTOP), and returns when each of its threads has stopped: until then the process may still
// answer.
func Stop(t testing.TB, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); !stopped(t, p); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d does not stop", p.Pid)
		}
	}
}

// stopped asks the system, and not with wait4, which would take the end of a process from those who wait for it.
func stopped(t testing.TB, p *os.Process) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("process %d has ended: %v", p.Pid, err)
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err == nil && !bytes.Contains(stat, []byte(") T ")) { // else it has ended
			return false
		}
	}
	return true
}
