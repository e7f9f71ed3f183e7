package selfexec

import (
	"os"
	"path/filepath"
)

const runtimeDir = "DOCA_EMU_RUNTIME_DIR"

// Apart gives this process, and those that it starts, a directory of their own in which they find each other on the emulator. Other
// processes of the same user have servers with the same names and ports, and may be stopped while they have the directory locked. A
// directory that the environment names stays: that of the process that has started this one. The function that it returns removes the
// directory.
func Apart() (end func()) {
	if os.Getenv(runtimeDir) != "" {
		return func() {}
	}
	dir, err := os.MkdirTemp("", "doca")
	if err != nil {
		panic(err)
	}
	os.Setenv(runtimeDir, filepath.Join(dir, "run"))
	return func() { os.RemoveAll(dir) }
}
