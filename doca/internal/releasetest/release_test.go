package releasetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// release is the variable that says which release the emulator is, for the whole process.
const release = "DOCA_EMU_RELEASE"

func TestMain(m *testing.M) {
	if os.Getenv(release) == "" {
		os.Setenv(release, "3.2")
	}
	doctest.Main(m)
}

// objects are what the functions are called on.
type objects struct {
	*doctest.Rig
	rep *doca.Representor
}

func open(t *testing.T) objects {
	o := objects{Rig: doctest.NewRig(t)}
	o.rep = doctest.Must(o.Dev.OpenRepresentor(doctest.Host0))(t)
	return o
}

// addition is a function of DOCA and a way to it in Go.
type addition struct {
	function, since string
	call            func(objects) (any, error)
	want            any   // on a release that has it
	code            error // or its error there
	stub            bool  // the emulator does not have it: no fault makes it fail, for it fails all the time
}

// of makes a call of a method without parameters.
func of[T any](f func(objects) func() (T, error)) func(objects) (any, error) {
	return func(o objects) (any, error) { return f(o)() }
}

var additions = []addition{
	{function: "doca_devinfo_get_pci_func_type", since: "3.1", want: doca.PCIFunctionPF,
		call: of(func(o objects) func() (doca.PCIFunctionType, error) { return o.Dev.Info().FunctionType })},
	{function: "doca_devinfo_get_sf_index", since: "3.1", code: doca.ErrNotSupported, // it is no SF
		call: of(func(o objects) func() (uint32, error) { return o.Dev.Info().SFIndex })},
	{function: "doca_devinfo_get_uplink_ib_port", since: "3.2", want: uint16(1),
		call: of(func(o objects) func() (uint16, error) { return o.Dev.Info().UplinkPort })},
	{function: "doca_devinfo_get_iface_index", since: "3.2", want: 4096,
		call: of(func(o objects) func() (int, error) { return o.Dev.Info().InterfaceIndex })},
	{function: "doca_devinfo_get_data_direct_pci_dev", since: "3.2", code: doca.ErrNotFound,
		call: of(func(o objects) func() (string, error) { return o.Dev.Info().DataDirect })},
	{function: "doca_mmap_cap_get_max_export_access_token_size", since: "3.2", stub: true, code: doca.ErrNotSupported,
		call: of(func(o objects) func() (int, error) { return o.Dev.Info().MaxExportToken })},
	{function: "doca_devinfo_rep_get_iface_index", since: "3.2", want: 4102,
		call: of(func(o objects) func() (int, error) { return o.rep.InterfaceIndex })},
	{function: "doca_devinfo_rep_get_ib_port", since: "3.2", want: uint16(2),
		call: of(func(o objects) func() (uint16, error) { return o.rep.Port })},
	{function: "doca_devinfo_rep_get_host_index", since: "3.2", want: uint32(0),
		call: of(func(o objects) func() (uint32, error) { return o.rep.HostIndex })},
	{function: "doca_devinfo_rep_get_pf_index", since: "3.2", want: uint32(0),
		call: of(func(o objects) func() (uint32, error) { return o.rep.PFIndex })},
	{function: "doca_devinfo_rep_get_vf_index", since: "3.2", code: doca.ErrDriver,
		call: of(func(o objects) func() (uint32, error) { return o.rep.VFIndex })},
	{function: "doca_devinfo_rep_get_sf_index", since: "3.2", code: doca.ErrDriver,
		call: of(func(o objects) func() (uint32, error) { return o.rep.SFNumber })},
	{function: "doca_devinfo_rep_get_total_vfs", since: "3.2", want: uint32(0),
		call: of(func(o objects) func() (uint32, error) { return o.rep.TotalVFs })},
	{function: "doca_devinfo_rep_get_pf_vuid", since: "3.2", want: "MT0000X00000MLNXS0D0F0",
		call: of(func(o objects) func() (string, error) { return o.rep.PFVUID })},
	{function: "doca_devinfo_rep_get_data_direct_pci_dev", since: "3.2", code: doca.ErrNotFound,
		call: of(func(o objects) func() (string, error) { return o.rep.DataDirect })},
	{function: "doca_ctx_profiler_set_max_nranges", since: "3.2", stub: true, code: doca.ErrNotSupported,
		call: func(o objects) (any, error) {
			if err := o.DMA.Stop(context.Background()); err != nil {
				return nil, err
			}
			err := o.DMA.SetProfilerRanges(4)
			return nil, errors.Join(err, o.DMA.Start(context.Background()))
		}},
	{function: "doca_mmap_get_mkey", since: "3.2", want: true,
		call: func(o objects) (any, error) {
			key, err := o.Mem.Key(o.Dev)
			return key != 0, err
		}},
	{function: "doca_mmap_set_export_access_token", since: "3.2", stub: true, code: doca.ErrNotSupported,
		call: func(o objects) (any, error) {
			return doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{o.Dev}, ExportToken: []byte("0123456789abcdef")})
		}},
	{function: "doca_dma_set_ordered_completions", since: "3.2", want: dma.AnyOrder,
		call: func(o objects) (any, error) {
			d, err := dma.New(o.Dev, o.PE, dma.Config{Order: dma.AnyOrder})
			if err != nil {
				return nil, err
			}
			defer d.Close()
			return d.Order()
		}},
	{function: "doca_dma_get_ordered_completions", since: "3.2", want: dma.InOrder,
		call: of(func(o objects) func() (dma.Order, error) { return o.DMA.Order })},
}

// On a release that has the functions they are called, and on an older one refused with both releases named. A child process is each
// older release.
func TestAdditions(t *testing.T) {
	running := os.Getenv(release)
	o := open(t)
	for _, a := range additions {
		t.Run(a.function, func(t *testing.T) {
			have, err := a.call(o)
			if a.since > running {
				var missing *abi.SymbolError
				require.ErrorAs(t, err, &missing)
				assert.Equal(t, a.function, missing.Func)
				doctest.WantErr(t, err, doca.ErrNotSupported, a.function, " of emulator "+running+".", "which DOCA has since "+a.since)
				return
			}
			if a.code != nil {
				assert.ErrorIs(t, err, a.code)
				assert.NotErrorAs(t, err, new(*abi.SymbolError), "DOCA has said so")
			} else {
				require.NoError(t, err)
				assert.Equal(t, a.want, have)
			}
			if a.stub { // the emulator's coverage.txt lists it
				return
			}
			doctest.Faults(t, "fail-call="+a.function+":1:IO_FAILED")
			_, err = a.call(o)
			assert.ErrorIs(t, err, doca.ErrIOFailed, "EMU_CALL")
		})
	}
	assert.Len(t, additions, 20)
	assert.Equal(t, running >= "3.2", doca.ErrDeviceFatal.Error() == errorName(t, doca.ErrDeviceFatal))
	if running != "3.2" {
		return
	}
	for _, older := range []string{"3.0", "3.1"} {
		t.Run(older, func(t *testing.T) {
			t.Parallel()
			cmd := selfexec.Command(t, "-test.run=^TestAdditions$", "-test.v")
			cmd.Env = append(os.Environ(), release+"="+older)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "--- PASS: TestAdditions/doca_mmap_get_mkey")
		})
	}
}

// errorName is what DOCA calls a code.
func errorName(t *testing.T, code doca.Error) string {
	name, err := common.ErrorGetName(code)
	require.NoError(t, err)
	return name
}

// Arguments and states that DOCA need not see.
func TestMisuse(t *testing.T) {
	o := open(t)
	other := doctest.Must(doca.OpenDevice("03:00.1"))(t)
	t.Cleanup(func() { doctest.Check(t, other.Close()) })
	_, err := o.Mem.Key(other)
	doctest.WantErr(t, err, doca.ErrInvalidValue, "not registered with the device")
	_, err = o.Mem.Key(nil)
	doctest.WantErr(t, err, doca.ErrInvalidValue, "the device is nil")
	_, err = dma.New(o.Dev, o.PE, dma.Config{Order: 9})
	doctest.WantErr(t, err, doca.ErrInvalidValue, "Config.Order is Order(9)")
	doctest.WantErr(t, o.DMA.SetProfilerRanges(4), doca.ErrBadState, "set profiler ranges")
	require.NoError(t, o.DMA.Stop(t.Context()))
	for _, n := range []int{0, -1, 256} {
		doctest.WantErr(t, o.DMA.SetProfilerRanges(n), doca.ErrInvalidValue, fmt.Sprintf("%d ranges: want 1 to 255", n))
	}
	order, err := o.DMA.Order()
	require.NoError(t, err)
	assert.Equal(t, dma.InOrder, order, "of a stopped context")
	require.NoError(t, o.DMA.Start(t.Context()))
	require.NoError(t, o.rep.Close())
	_, err = o.rep.Port()
	doctest.WantErr(t, err, doca.ErrClosed, "read port")
	_, err = (doca.DeviceInfo{PCIAddr: "0000:99:00.0"}).UplinkPort()
	doctest.WantErr(t, err, doca.ErrNotFound, "0000:99:00.0")
}

// Keys of a map differ by device, and those of two maps.
func TestMemoryKeys(t *testing.T) {
	o := open(t)
	other := doctest.Must(doca.OpenDevice("03:00.1"))(t)
	mem := doctest.Must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{o.Dev, other}}))(t)
	seen := map[uint32]bool{}
	for _, of := range []struct {
		mem *doca.Memory
		dev *doca.Device
	}{{o.Mem, o.Dev}, {mem, o.Dev}, {mem, other}} {
		key, err := of.mem.Key(of.dev)
		require.NoError(t, err)
		again, err := of.mem.Key(of.dev)
		require.NoError(t, err)
		assert.Equal(t, key, again)
		seen[key] = true
	}
	assert.Len(t, seen, 3)
	require.NoError(t, other.Close())
	_, err := mem.Key(o.Dev)
	doctest.WantErr(t, err, doca.ErrClosed)
}

// The version is of the release, and what nobody knows is the default.
func TestVersion(t *testing.T) {
	info, err := abi.Active()
	require.NoError(t, err)
	assert.Equal(t, emulator.Name, info.Name)
	assert.Equal(t, map[string]string{"3.0": "3.0.0058", "3.1": "3.1.0000", "3.2": "3.2.0000", "9.9": "3.0.0058"}[os.Getenv(release)], info.Version)
	if os.Getenv(release) != "3.2" {
		return
	}
	for _, other := range []string{"3.0", "3.1", "9.9"} {
		cmd := selfexec.Command(t, "-test.run=^TestVersion$", "-test.v")
		cmd.Env = append(os.Environ(), release+"="+other)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "--- PASS: TestVersion")
		if other == "9.9" {
			assert.Contains(t, string(out), "DOCA_EMU_RELEASE is 9.9: want 3.0, 3.1 or 3.2; this is 3.0")
		}
	}
}
