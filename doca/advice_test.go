package doca_test

import (
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// What the messages of errors say to do.
func TestAdvice(t *testing.T) {
	r := newRig(t)
	memory := func(a doca.Access) func() error {
		return func() error {
			_, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: a})
			return err
		}
	}
	for name, c := range map[string]struct {
		call   func() error
		want   error
		advice string
	}{
		"an access flag that does not exist": {memory(1 << 20), doca.ErrInvalidValue, "0x100000: DOCA_ERROR_INVALID_VALUE: there is no access flag 0x100000: use AccessLocalReadWrite and the constants after it"},
		"both PCI flags":                     {memory(doca.AccessPCIReadOnly | doca.AccessPCIReadWrite), doca.ErrInvalidValue, "create memory on pci-read-only|pci-read-write: DOCA_ERROR_INVALID_VALUE: AccessPCIReadOnly and AccessPCIReadWrite exclude each other"},
		"both local flags":                   {memory(doca.AccessLocalReadOnly | doca.AccessLocalReadWrite), doca.ErrInvalidValue, "AccessLocalReadOnly and AccessLocalReadWrite exclude each other"},
		"RDMA writes alone":                  {memory(doca.AccessRDMAWrite), doca.ErrInvalidValue, "AccessRDMAWrite and AccessRDMAAtomic need AccessLocalReadWrite as well"},
		"a filter that does not exist": {func() error { _, err := r.Dev.Representors(77); return err }, doca.ErrInvalidValue,
			"there is no filter 77: use RepresentorsAll, RepresentorsNet or RepresentorsEmulated"},
		"a log level that does not exist": {func() error { return doca.SetSDKLogLevel(55) }, doca.ErrInvalidValue, "there is no log level 55: use LogError"},
		"an empty name":                   {func() error { _, err := doca.OpenDeviceByIbdev(""); return err }, doca.ErrInvalidValue, "the name is empty: give one such as mlx5_0"},
		"a NUL in a name": {func() error { _, err := common.LogRegisterSource("a\x00b"); return err }, doca.ErrInvalidValue,
			`doca_log_register_source: DOCA_ERROR_INVALID_VALUE (not called: the string "a\x00b" has a NUL byte at index 1, which ends a string in C)`},
		"a NUL in an address":        {func() error { _, err := doca.OpenDevice("03:00.0\x00"); return err }, doca.ErrInvalidValue, `"03:00.0\x00": DOCA_ERROR_INVALID_VALUE: want a PCI address`},
		"too much memory":            {func() error { _, err := doca.NewMemory(1<<60, on(r.Dev)); return err }, doca.ErrNoMemory, "1152921504606846976 bytes: DOCA_ERROR_NO_MEMORY: cannot allocate memory: the size is more than the system can give"},
		"more memory than addresses": {func() error { _, err := doca.NewMemory(math.MaxInt, on(r.Dev)); return err }, doca.ErrTooBig, "no process can have so much memory"},
		"too large an inventory":     {func() error { _, err := doca.NewInventory(1 << 55); return err }, doca.ErrNoMemory, "there is no memory for 36028797018963968 buffers: make a smaller inventory, or several"},
		"too large a batch": {func() error { _, err := r.DMA.NewBatch(1 << 50); return err }, doca.ErrNoMemory,
			"there is no memory for a batch of 1125899906842624 copies: make a smaller one, or several"},
		"an inventory without room": {func() error {
			inv := must(doca.NewInventory(1))(t)
			defer inv.Close()
			must(inv.Buffer(r.Mem, 0, 1))(t)
			_, err := inv.Buffer(r.Mem, 0, 1)
			return err
		}, doca.ErrNoMemory, "the inventory"},
		"DOCA without memory": {func() error {
			faults(t, "fail-call=doca_pe_create:1:NO_MEMORY")
			_, err := doca.NewProgressEngine(doca.EngineConfig{})
			return err
		}, doca.ErrNoMemory, "there is no memory left for it: make it smaller, or close what is not needed"},
	} {
		t.Run(name, func(t *testing.T) { wantErr(t, c.call(), c.want, c.advice) })
	}
}

//doca:ignore unclosed the program has no files left, and ends
func init() {
	programs["files"] = func() { // that has as many files open as it may
		dev, err := doca.OpenDevice(dpu0)
		if err != nil {
			panic(err)
		}
		var usual syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &usual); err != nil {
			panic(err)
		}
		defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &usual) // for the sanitizers, which open files at the end
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: usual.Max}); err != nil {
			panic(err)
		}
		for {
			if _, err := syscall.Dup(1); err != nil {
				break
			}
		}
		pe, err := doca.NewProgressEngine(doca.EngineConfig{})
		if err == nil {
			_, err = pe.NotificationHandle()
		}
		println("engine:", text(err))
		_, err = doca.LogSDKTo(new(handler), doca.LogError)
		println("log:", text(err))
		mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadOnly})
		if err == nil {
			_, err = mem.ExportPCI(dev)
		}
		println("export:", text(err))
	}
}

func text(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// A process that has too many files open is told so, although DOCA's codes do not say it.
func TestAdviceOnFiles(t *testing.T) {
	t.Parallel()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM=files")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, what := range []string{"engine: ", "log: ", "export: "} {
		found := false
		for _, l := range lines {
			found = found || strings.HasPrefix(l, what) &&
				strings.HasSuffix(l, "the process has as many files open as it may: close some, or raise the limit (ulimit -n)")
		}
		assert.True(t, found, "%s%s", what, out)
	}
}
