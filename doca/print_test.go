package doca_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// The values of each type that has names.
var named = map[string]interface {
	fmt.Stringer
	encoding.TextMarshaler
}{
	"idle": doca.StateIdle, "starting": doca.StateStarting, "running": doca.StateRunning, "stopping": doca.StateStopping, "closed": doca.StateClosed,
	"State(9)": doca.State(9),
	"PF":       doca.PCIFunctionPF, "VF": doca.PCIFunctionVF, "SF": doca.PCIFunctionSF, "PCIFunctionType(9)": doca.PCIFunctionType(9),
	"all": doca.RepresentorsAll, "net": doca.RepresentorsNet, "emulated": doca.RepresentorsEmulated, "RepresentorFilter(9)": doca.RepresentorFilter(9),
	"default": doca.Access(0), "local-read-only": doca.AccessLocalReadOnly,
	"local-read-write|pci-read-only":      doca.AccessLocalReadWrite | doca.AccessPCIReadOnly,
	"rdma-read|rdma-write|rdma-atomic":    doca.AccessRDMARead | doca.AccessRDMAWrite | doca.AccessRDMAAtomic,
	"pci-read-write|pci-relaxed-ordering": doca.AccessPCIReadWrite | doca.AccessPCIRelaxedOrdering,
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, v := range named {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, name, v.String())
			assert.Equal(t, name, string(must(v.MarshalText())(t)))
			assert.Equal(t, `{"V":"`+name+`"}`, string(must(json.Marshal(struct{ V any }{v}))(t)))
		})
	}
}

func TestNamesThatAreRead(t *testing.T) {
	t.Parallel()
	type config struct {
		Access  doca.Access
		Level   doca.LogLevel
		Filter  doca.RepresentorFilter
		Nothing doca.Access
	}
	var cfg config
	require.NoError(t, json.Unmarshal([]byte(`{"Access": "Local-Read-Write | pci-read-only", "Level": "debug", "Filter": "NET", "Nothing": ""}`), &cfg))
	assert.Equal(t, config{doca.AccessLocalReadWrite | doca.AccessPCIReadOnly, doca.LogDebug, doca.RepresentorsNet, 0}, cfg)
	text := must(json.Marshal(cfg))(t)
	var again config
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, cfg, again)

	var a doca.Access
	wantErr(t, a.UnmarshalText([]byte("local-read-write|write")), doca.ErrInvalidValue, `there is no flag "write": want default, or one or more of local-read-only, local-read-write, rdma-read`)
	wantErr(t, (*doca.Access)(nil).UnmarshalText(nil), doca.ErrInvalidValue)
	_, err := doca.Access(1 << 20).MarshalText()
	wantErr(t, err, doca.ErrInvalidValue, "there is no access flag 0x100000")
	assert.Equal(t, "rdma-read|0x100000", (doca.AccessRDMARead | 1<<20).String())
	var f doca.RepresentorFilter
	wantErr(t, f.UnmarshalText([]byte("host")), doca.ErrInvalidValue, "want all, net or emulated")
	wantErr(t, (*doca.RepresentorFilter)(nil).UnmarshalText([]byte("all")), doca.ErrInvalidValue)
}

// logged returns what a program's log has of a value.
func logged(t testing.TB, v any) string {
	t.Helper()
	var out bytes.Buffer
	strip := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: strip})).Error("", "v", v)
	return out.String()[len(`{"v":`) : out.Len()-len("}\n")]
}

func TestLogValues(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rep := must(r.Dev.OpenRepresentor(host0))(t)
	for _, o := range []fmt.Stringer{r.Dev, r.Mem, r.Inv, r.Src, r.PE, r.DMA, r.DMA.Context, rep, (*doca.Device)(nil)} {
		t.Run(fmt.Sprintf("%T", o), func(t *testing.T) {
			assert.Equal(t, `"`+o.String()+`"`, logged(t, o))
		})
	}
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"device": {doca.DeviceInfo{PCIAddr: "0000:03:00.0", Ibdev: "mlx5_0", MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, IPv4: netip.MustParseAddr("10.0.0.1"),
			IPv6: netip.MustParseAddr("fe80::1"), LID: 7, ActiveRate: 100, VHCAID: 3},
			`{"pci":"0000:03:00.0","ibdev":"mlx5_0","mac":"02:00:00:00:00:01","ipv4":"10.0.0.1","ipv6":"fe80::1","lid":7,"active_rate":100,"vhca_id":3}`},
		"device that tells little": {doca.DeviceInfo{PCIAddr: "0000:03:00.0"}, `{"pci":"0000:03:00.0"}`},
		"representor": {doca.RepresentorInfo{PCIAddr: "0000:b1:00.0", VUID: "V", Interface: "pf0hpf", Function: doca.PCIFunctionVF, Hotplug: true, VHCAID: 4},
			`{"pci":"0000:b1:00.0","vuid":"V","interface":"pf0hpf","function":"VF","hotplug":true,"vhca_id":4}`},
		"object": {doca.Object{Name: "memory#3", Site: "main.go:7 (main.main)", Stack: "long"}, `{"name":"memory#3","site":"main.go:7 (main.main)"}`},
		"error": {&doca.OpError{Op: "copy", Object: "dma#3", Err: fmt.Errorf("task: %w", doca.ErrIOFailed), Advice: "look"},
			`{"op":"copy","object":"dma#3","code":"DOCA_ERROR_IO_FAILED","error":"task: DOCA_ERROR_IO_FAILED","advice":"look"}`},
		"error without a code": {&doca.OpError{Op: "copy", Err: errors.New("no")}, `{"op":"copy","error":"no"}`},
		"error of a state": {&doca.StateError{Object: "dma#3", State: doca.StateIdle, Need: []doca.State{doca.StateStarting, doca.StateRunning}, Op: "copy", Cause: errors.New("why")},
			`{"op":"copy","object":"dma#3","code":"DOCA_ERROR_BAD_STATE","state":"idle","need":"starting or running","cause":"why"}`},
		"state": {doca.StateRunning, `"running"`},
		"level": {doca.LogDebug, `"debug"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, logged(t, c.value))
		})
	}
	stopped := &doca.StateError{Object: "dma#3", State: doca.StateIdle, Need: []doca.State{doca.StateRunning}, Op: "copy", Cause: doca.ErrIOFailed}
	assert.EqualError(t, stopped, "doca: copy on dma#3: the object is idle, not running, after DOCA_ERROR_IO_FAILED: call Start to use it again")
	assert.EqualError(t, &doca.StateError{Object: "dma#3", State: doca.StateClosed, Op: "copy"}, "doca: copy on dma#3: the object is closed")
	assert.Equal(t, "memory#3, created at main.go:7", doca.Object{Name: "memory#3", Site: "main.go:7"}.String())
}
