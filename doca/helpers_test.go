package doca_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

const (
	dpu0  = doctest.DPU0
	host0 = doctest.Host0
)

// The helpers that all packages share.
var (
	check    = doctest.Check
	wantErr  = doctest.WantErr
	faults   = doctest.Faults
	hold     = doctest.Hold
	deadline = doctest.Deadline
	soon     = doctest.Soon
	newRig   = doctest.NewRig
	collect  = doctest.CollectLeak
	openRig  = doctest.OpenRig
)

type closer = doctest.Closer

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

// programs are what a process that a test starts may do, by the value of DOCA_TEST_PROGRAM.
var programs = map[string]func(){}

// TestMain runs the tests, or in a process of theirs an exporter of memory or another program.
func TestMain(m *testing.M) {
	if name := os.Getenv("DOCA_TEST_PROGRAM"); name != "" {
		os.Setenv("DOCA_PROVIDER", emulator.Name)
		programs[name]()
		os.Exit(0)
	}
	if access := os.Getenv("DOCA_TEST_EXPORTER"); access != "" {
		os.Setenv("DOCA_PROVIDER", emulator.Name)
		if err := runExporter(access); err != nil {
			println("exporter:", err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	doctest.Main(m)
}

// gc runs the collector and lets cleanups run.
func gc() {
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

// captureStderr returns what f writes to os.Stderr.
func captureStderr(t testing.TB, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "stderr")
	check(t, err)
	defer file.Close()
	stderr := os.Stderr
	os.Stderr = file
	f()
	os.Stderr = stderr
	text, err := os.ReadFile(file.Name())
	check(t, err)
	return string(text)
}
