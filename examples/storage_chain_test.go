package examples

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// A storageProgram is a program of a chain, in Go or in C++: its path, and the arguments that it has in any case.
type storageProgram []string

// A storageChain is three programs. Each may be in Go or in C++.
type storageChain struct {
	initiator, relay, target storageProgram
	older                    bool // of the older variant, which has other arguments
}

// A storageLoad says what the initiator of a chain does.
type storageLoad struct {
	cores      int
	strategy   string // of the older variant: its operation
	operations int    // of each core
	blockSize  int
	initiator  []string // further arguments
	target     []string // of the target
	faults     string   // of all three
}

const storageBlocks = 128

// buildStorageCPP builds the programs of emulator/sdktest/storage: the chain of recent releases, and the older one.
// prefix is where installSDK has installed the SDK.
func buildStorageCPP(t *testing.T, prefix string) (recent, older storageChain) {
	out := t.TempDir()
	cmd := exec.Command("make", "-s", "-j2", "-C", "../emulator/sdktest/storage", "OUT="+out, "CXXFLAGS=-O1",
		"LDFLAGS=-Wl,-rpath,"+prefix+"/lib")
	cmd.Env = append(os.Environ(), "PKG_CONFIG_PATH="+prefix+"/lib/pkgconfig")
	built, err := cmd.CombinedOutput()
	require.NoError(t, err, string(built))
	program := func(name string) storageProgram { return storageProgram{filepath.Join(out, "doca_storage_"+name)} }
	return storageChain{program("initiator_comch"), program("comch_to_rdma_zero_copy"), program("target_rdma"), false},
		storageChain{program("zero_copy_initiator_comch"), program("zero_copy_comch_to_rdma"), program("zero_copy_target_rdma"), true}
}

// buildStorageGo builds the programs of examples/storage. One flag makes them those of the older variant.
func buildStorageGo(t *testing.T) (recent, older storageChain) {
	out := t.TempDir()
	built, err := exec.Command("go", "build", "-o", out, "./storage/initiator_comch", "./storage/comch_to_rdma_zero_copy",
		"./storage/target_rdma").CombinedOutput()
	require.NoError(t, err, string(built))
	chain := func(older bool, args ...string) storageChain {
		program := func(name string) storageProgram { return append(storageProgram{filepath.Join(out, name)}, args...) }
		return storageChain{program("initiator_comch"), program("comch_to_rdma_zero_copy"), program("target_rdma"), older}
	}
	return chain(false), chain(true, "--older-messages")
}

// A storageProcess is a program of a chain that runs.
type storageProcess struct {
	name string
	cmd  *exec.Cmd
	mu   sync.Mutex
	out  bytes.Buffer
}

// Write takes output.
func (p *storageProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *storageProcess) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// A storageRun is a chain that runs, in a runtime directory of its own.
type storageRun struct {
	dir                      string
	initiator, relay, target *storageProcess
}

// startStorage starts a chain. What does not end in a minute, and a millisecond for each operation, is killed.
func startStorage(t *testing.T, dir string, c storageChain, load storageLoad) *storageRun {
	limit := time.Minute + time.Duration(min(load.operations*load.cores, 1<<24))*time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	start := func(name, side string, program storageProgram, args ...string) *storageProcess {
		p := &storageProcess{name: name, cmd: exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], args...)...)}
		p.cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+filepath.Join(dir, "run"),
			"DOCA_EMU_SIDE="+side, "DOCA_EMU_COMCH_CONNECT_TIMEOUT=20000", "DOCA_EMU_FAULTS="+load.faults,
			"GOGC=1") // leaks are reported at collections
		p.cmd.Stdout, p.cmd.Stderr = p, p
		require.NoError(t, p.cmd.Start(), name)
		return p
	}
	var cpus []string
	for i := range load.cores {
		cpus = append(cpus, "--cpu", fmt.Sprint(i))
	}
	with := func(args ...string) []string { return append(append(args, cpus...), "--control-timeout", "30") }
	port := fmt.Sprint(selfexec.Port(t))
	target := append([]string{"-d", "03:00.0", "--listen-port", port}, cpus...)
	relay := with("-d", "03:00.0", "-r", "b1:00.0", "--storage-server", "127.0.0.1:"+port)
	initiator := append(with("-d", "b1:00.0", "--run-limit-operation-count", fmt.Sprint(load.operations)), load.initiator...)
	if c.older {
		relay = relay[:len(relay)-2] // it has no --control-timeout
		initiator = append(initiator, "--operation", load.strategy, "--buffer-size", fmt.Sprint(load.blockSize))
	} else {
		target = append(target, "--block-size", fmt.Sprint(load.blockSize), "--block-count", fmt.Sprint(storageBlocks))
		initiator = append(initiator, "--execution-strategy", load.strategy)
	}
	if load.strategy == "read_only_data_validity_test" {
		content, path := make([]byte, storageBlocks*load.blockSize), filepath.Join(dir, "content")
		_, err := rand.Read(content)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		target = append(target, "--binary-content", path)
		initiator = append(initiator, "--storage-plain-content", path)
	}
	target = append(target, load.target...)
	return &storageRun{
		dir:       dir,
		target:    start("target", "dpu", c.target, target...),
		relay:     start("relay", "dpu", c.relay, relay...),
		initiator: start("initiator", "host", c.initiator, initiator...),
	}
}

func (r *storageRun) all() []*storageProcess {
	return []*storageProcess{r.initiator, r.relay, r.target}
}

// checkStorage runs a chain, which must succeed with all its operations and leave nothing.
func checkStorage(t *testing.T, c storageChain, load storageLoad) *storageRun {
	r := startStorage(t, t.TempDir(), c, load)
	for _, p := range r.all() {
		err := p.cmd.Wait()
		assert.NoError(t, err, "%s:\n%s", p.name, p.output())
		assert.NotContains(t, p.output(), "leak", p.name)
	}
	assert.Contains(t, r.initiator.output(), fmt.Sprintf("Operation count: %d\n", load.operations*load.cores))
	assert.NotContains(t, r.initiator.output(), "Test failed!!")
	assert.NoDirExists(t, filepath.Join(r.dir, "run"), "the programs leave their directory")
	return r
}

func TestStorageChains(t *testing.T) {
	t.Parallel()
	needC(t)
	recent, older := buildStorageCPP(t, installSDK(t))
	runStorageCPP(t, recent, older)
}

// runStorageCPP runs chains of C++ programs alone.
func runStorageCPP(t *testing.T, recent, older storageChain) {
	validate := []string{"--validate-writes"}
	for name, c := range map[string]struct {
		chain storageChain
		load  storageLoad
	}{
		"reads":                {recent, storageLoad{1, "read_throughput_test", 2000, 4096, nil, nil, ""}},
		"writes":               {recent, storageLoad{2, "write_throughput_test", 2000, 65536, nil, nil, ""}},
		"reads and writes":     {recent, storageLoad{2, "read_write_data_validity_test", 2000, 4096, nil, nil, ""}},
		"several blocks":       {recent, storageLoad{1, "read_write_data_validity_test", 1000, 4096, []string{"--blocks-per-io", "3"}, nil, ""}},
		"a small region":       {recent, storageLoad{1, "read_write_data_validity_test", 1000, 4096, []string{"--local-io-region-size", "20480"}, nil, ""}},
		"content":              {recent, storageLoad{1, "read_only_data_validity_test", 1000, 65536, nil, nil, ""}},
		"older, reads":         {older, storageLoad{2, "read", 2000, 65536, nil, nil, ""}},
		"older, writes":        {older, storageLoad{2, "write", 2000, 4096, validate, nil, ""}},
		"older, batches":       {older, storageLoad{1, "write", 1999, 4096, append(validate, "--batch-size", "7"), nil, "hold-unflushed"}},
		"older, small batches": {older, storageLoad{1, "write", 500, 64, append(validate, "--per-cpu-buffer-count", "1", "--batch-size", "1"), nil, ""}},
	} {
		t.Run(name, func(t *testing.T) { checkStorage(t, c.chain, c.load) })
	}
	for _, killed := range []string{"initiator", "relay", "target"} {
		t.Run("the "+killed+" is killed", func(t *testing.T) { killStorage(t, recent, killed) })
		t.Run("older, the "+killed+" is killed", func(t *testing.T) { killStorage(t, older, killed) })
	}
}

// killStorage kills one program of a C++ chain in the middle of its IO. The others fail and say so, and a new chain works.
func killStorage(t *testing.T, c storageChain, killed string) {
	dir := t.TempDir()
	load := storageLoad{cores: 2, strategy: "read_write_data_validity_test", operations: 1 << 30, blockSize: 4096}
	if c.older {
		load.strategy, load.initiator = "write", []string{"--validate-writes"}
	}
	r := startStorage(t, dir, c, load)
	started := func() bool { return strings.Contains(r.target.output(), "] start_storage") }
	require.Eventually(t, started, 30*time.Second, 10*time.Millisecond)
	for _, p := range r.all() {
		if p.name == killed {
			require.NoError(t, p.cmd.Process.Signal(syscall.SIGKILL))
		}
	}
	for _, p := range r.all() {
		err := p.cmd.Wait()
		if p.name == killed {
			continue
		}
		assert.Error(t, err, p.name)
		assert.Equal(t, 1, p.cmd.ProcessState.ExitCode(), "%s:\n%s", p.name, p.output())
		assert.Contains(t, p.output(), "EXCEPTION: ", p.name)
	}
	load.operations = 500
	again := startStorage(t, dir, c, load)
	for _, p := range again.all() {
		err := p.cmd.Wait()
		assert.NoError(t, err, "%s after a kill:\n%s", p.name, p.output())
	}
}
