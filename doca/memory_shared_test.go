package doca_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// mappingAt returns the line of /proc/self/maps for an address.
func mappingAt(t *testing.T, addr uintptr) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil && from <= addr && addr < to {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// Memory that other processes may use is in a file that they can map.
func TestNewMemoryShared(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	for _, c := range []struct {
		name   string
		size   int
		access doca.Access
		shared bool
	}{
		{"RDMA", 1 << 20, doca.AccessLocalReadWrite | doca.AccessRDMAWrite, true},
		{"RDMA, read only", 64 << 10, doca.AccessRDMARead, true},
		{"PCI", 100_000, doca.AccessPCIReadOnly, true},
		{"of this process alone", 1 << 20, doca.AccessLocalReadWrite, false},
		{"small", 64<<10 - 4096, doca.AccessPCIReadWrite, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := must(doca.NewMemory(c.size, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: c.access}))(t)
			assert.Len(t, mem.Bytes(), c.size)
			assert.Zero(t, mem.Bytes()[c.size-1])
			line := mappingAt(t, mem.Address())
			assert.Equal(t, c.shared, strings.Contains(line, "/memfd:go-doca"), line)
			assert.NoError(t, mem.Close())
		})
	}
}

func init() {
	programs["limited"] = func() { // in files, and in descriptors
		fmt.Println(func() error {
			dev, err := doca.OpenDevice(dpu0)
			if err != nil {
				return err
			}
			defer dev.Close()
			for resource, limit := range map[int]uint64{syscall.RLIMIT_FSIZE: 4096, syscall.RLIMIT_NOFILE: 3} {
				var before syscall.Rlimit
				if err := syscall.Getrlimit(resource, &before); err != nil {
					return err
				}
				if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: before.Max}); err != nil {
					return err
				}
				mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadWrite})
				if err != nil {
					return err
				}
				mem.Bytes()[1<<20-1] = 1
				if err := mem.Close(); err != nil {
					return err
				}
				if err := syscall.Setrlimit(resource, &before); err != nil {
					return err
				}
			}
			return nil
		}())
	}
}

// Where there can be no such file, the memory does without.
func TestNewMemoryWithoutFile(t *testing.T) {
	t.Parallel()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM=limited")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "<nil>\n", string(out))
}
