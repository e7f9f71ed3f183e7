package examples

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A storageCell is a chain of the matrix with what it does.
type storageCell struct {
	chain     storageChain
	load      storageLoad
	languages [3]string // of initiator, relay and target
}

func (c storageCell) String() string {
	strategy := c.load.strategy
	if len(c.load.initiator) > 0 {
		strategy += " and validate"
	}
	if c.chain.older {
		strategy = "older " + strategy
	}
	return fmt.Sprintf("%-3s %-3s %-3s  %-29s %d cores %5d bytes", c.languages[0], c.languages[1], c.languages[2], strategy, c.load.cores, c.load.blockSize)
}

// storageLoads are what the chains of a variant do: all strategies, with one core and with two, with small blocks and large ones.
func storageLoads(older bool, operations int) (loads []storageLoad) {
	strategies := []storageLoad{{strategy: "read_throughput_test"}, {strategy: "write_throughput_test"},
		{strategy: "read_write_data_validity_test"}, {strategy: "read_only_data_validity_test"}}
	if older {
		strategies = []storageLoad{{strategy: "read"}, {strategy: "write"}, {strategy: "write", initiator: []string{"--validate-writes"}}}
	}
	for _, load := range strategies {
		for _, load.cores = range []int{1, 2} {
			for _, load.blockSize = range []int{4096, 65536} {
				load.operations = operations
				loads = append(loads, load)
			}
		}
	}
	return loads
}

// storageCells returns the whole matrix: each of the three programs in Go or in C++, and all loads.
func storageCells(t *testing.T, operations int) (cells []storageCell) {
	languages := [2]string{"Go", "C++"}
	var chains [2][2]storageChain // by variant and language
	chains[0][0], chains[1][0] = buildStorageGo(t)
	chains[0][1], chains[1][1] = buildStorageCPP(t, installSDK(t))
	for _, of := range chains {
		for _, load := range storageLoads(of[0].older, operations) {
			for i := range 8 {
				initiator, relay, target := i>>2&1, i>>1&1, i&1
				cells = append(cells, storageCell{
					chain: storageChain{of[initiator].initiator, of[relay].relay, of[target].target, of[0].older}, load: load,
					languages: [3]string{languages[initiator], languages[relay], languages[target]},
				})
			}
		}
	}
	return cells
}

// TestStorageMatrix runs chains of programs in Go and in C++. With DOCA_STORAGE_IOS=N it runs all that there are, with N
// operations of each core, and prints a line for each. Otherwise it runs those with two cores that compare small blocks that they
// have written.
func TestStorageMatrix(t *testing.T) {
	t.Parallel()
	operations, long := 1000, false
	if n := os.Getenv("DOCA_STORAGE_IOS"); n != "" {
		var err error
		operations, err = strconv.Atoi(n)
		require.NoError(t, err, "DOCA_STORAGE_IOS")
		require.GreaterOrEqual(t, operations, storageBlocks, "DOCA_STORAGE_IOS: each block is to be used")
		long = true
	} else {
		needC(t)
	}
	cells := storageCells(t, operations)
	for i, c := range cells {
		load := c.load
		validates := load.strategy == "read_write_data_validity_test" || len(load.initiator) > 0
		if !long && !(validates && load.cores == 2 && load.blockSize == 4096) {
			continue
		}
		began, ran := time.Now(), false
		ok := t.Run(c.String(), func(t *testing.T) {
			ran = true
			c.run(t)
		})
		if long && ran { // not if -run leaves it out
			fmt.Printf("%3d/%d %s %d IOs each %6.1f s: %s\n", i+1, len(cells), c, operations, time.Since(began).Seconds(),
				map[bool]string{true: "ok", false: "FAILED"}[ok])
		}
	}
}

// run runs a chain. Where the initiator writes what it does not read again, and the target is able to show what it has, that is
// compared.
func (c storageCell) run(t *testing.T) {
	file := ""
	if c.languages[0] == "Go" && c.languages[2] == "Go" && c.load.strategy == "write_throughput_test" {
		file = filepath.Join(t.TempDir(), "storage")
		c.load.target = []string{"--file", file}
	}
	r := checkStorage(t, c.chain, c.load)
	for i, p := range []*storageProcess{r.relay, r.target} {
		want, n := c.load.operations*c.load.cores, storageOperations(t, p)
		if c.chain.older && c.languages[1+i] == "C++" && n <= want+c.load.cores {
			n = min(n, want) // a stop message may be counted as well
		}
		assert.Equal(t, want, n, "the %s's operations:\n%s", p.name, p.output())
	}
	noStorageProcess(t, r.dir)
	if file != "" {
		pattern := make([]byte, 256)
		for i := range pattern {
			pattern[i] = byte(i)
		}
		wrote, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(bytes.Repeat(pattern, storageBlocks*c.load.blockSize/256), wrote), "what the target has")
	}
}

var coreOperations = regexp.MustCompile(`Core: \d+\n[|\t] ?Operation count: (\d+)`)

// storageOperations returns how many operations a relay or a target says that it has carried out.
func storageOperations(t *testing.T, p *storageProcess) int {
	sum := 0
	for _, core := range coreOperations.FindAllStringSubmatch(p.output(), -1) {
		n, err := strconv.Atoi(core[1])
		require.NoError(t, err)
		sum += n
	}
	return sum
}

// noStorageProcess makes sure that no process is left that a chain has started.
func noStorageProcess(t *testing.T, dir string) {
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	require.NotEmpty(t, environments)
	for _, path := range environments {
		env, err := os.ReadFile(path) // it may have ended, or be another user's
		assert.False(t, err == nil && bytes.Contains(env, []byte("DOCA_EMU_RUNTIME_DIR="+dir+"/")), "%s is left", path)
	}
}
