// Package selfexec starts a test's own binary once more, as another process.
package selfexec

import (
	"os"
	"os/exec"
	"strings"
	"testing"
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
