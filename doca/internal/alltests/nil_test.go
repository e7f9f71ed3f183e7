package alltests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/mmapadvise"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
)

// good are objects that work, and arguments for their methods by type.
func good(t *testing.T) (r *doctest.Rig, objects []any, arguments map[reflect.Type]any) {
	r = doctest.NewRig(t)
	batch := must(r.DMA.NewBatch(4))(t)
	t.Cleanup(func() { assert.NoError(t, batch.Close()) })
	stream := must(r.DMA.NewStream(dma.StreamConfig{BufferSize: 4096}))(t)
	t.Cleanup(func() { assert.NoError(t, stream.Close()) })
	future := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	must(future.Wait(t.Context()))(t)
	child := must(bind.NewChild(bind.ChildConfig{Kind: "child", Parent: r.DMA, Close: closeNothing}))(t)
	event := must(syncevent.New(r.Dev, syncevent.Config{Publishers: syncevent.CPU | syncevent.RemoteNet}))(t)
	remote := must(syncevent.ImportNet(r.Dev, must(event.ExportNet())(t)))(t)
	tasks := must(syncevent.NewTaskEvent(r.Dev, r.PE, syncevent.Config{}))(t)
	advise := must(mmapadvise.New(r.Dev, r.PE, mmapadvise.Config{}))(t)
	task := must(tasks.GetAsync(t.Context()))(t)
	must(task.Wait(t.Context()))(t)
	t.Cleanup(func() { assert.NoError(t, errors.Join(event.Close(), remote.Close(), tasks.Close(), advise.Close())) })
	net := must(rdma.New(r.Dev, r.PE, rdma.Config{}))(t)
	conn, _, err := net.Export()
	require.NoError(t, err)
	writes := must(conn.NewBatch(2))(t)
	listener := must(net.Listen(19999))(t)
	t.Cleanup(func() { assert.NoError(t, errors.Join(writes.Close(), listener.Close(), conn.Close(), net.Close())) })
	d := must(dpa.New(r.Dev, dpa.Config{App: dpatest.App(), Log: slog.DiscardHandler}))(t)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	dpaMemory := must(d.Alloc(64))(t)
	thread := must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t)
	completion := must(d.NewCompletion(dpa.CompletionConfig{Thread: thread}))(t)
	onDPA := must(rdma.NewOnDPA(d, rdma.DPAConfig{Completion: completion}))(t)
	dpaConn, _, err := onDPA.Export()
	require.NoError(t, err)
	launch := must(dpatest.LaunchNothing(d, dpa.LaunchOptions{}))(t)
	rep := must(r.Dev.OpenRepresentor(doctest.Host0))(t)
	arguments = map[reflect.Type]any{}
	for _, v := range []any{r.Dev, r.Mem, r.Inv, r.Dst, r.PE, r.DMA, r.DMA.Context, rep, "name", 1, []byte("text"), stream.Sources(r.Mem, 0, 64)} {
		arguments[reflect.TypeOf(v)] = v
	}
	arguments[reflect.TypeFor[io.Reader]()] = strings.NewReader("text")
	arguments[reflect.TypeFor[io.Writer]()] = new(bytes.Buffer)
	log := must(doca.LogSDKTo(slog.DiscardHandler, doca.LogError))(t)
	t.Cleanup(func() { assert.NoError(t, log.Close()) })
	return r, []any{r.Dev, r.Mem, r.Inv, r.Src, r.PE, r.DMA, r.DMA.Context, rep, batch, stream, future, child, log, event, remote, tasks, task, advise,
		net, conn, writes, listener, d, dpaMemory, thread, completion, onDPA, dpaConn, launch, must(d.NewThreadGroup(thread))(t), must(d.NewNotificationCompletion(thread))(t),
		must(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: completion}))(t), must(d.NewHashTable(4))(t),
		must(d.NewBufArray(dpa.BufArrayConfig{Memory: r.Mem, Elements: 1, Size: 8}))(t)}, arguments
}

// Each method of a good object takes nil arguments and those that are zero values. Afterwards the
// object still works: no lock is held.
func TestMethodsWithNothing(t *testing.T) {
	r, objects, _ := good(t)
	for _, o := range objects {
		v := reflect.ValueOf(o)
		for i := range v.NumMethod() {
			name := v.Type().Method(i).Name
			switch name {
			case "Close", "Shutdown", "Stop", "Start", "Run":
				continue // what they do they do without arguments
			}
			t.Run(fmt.Sprintf("%T/%s", o, name), func(t *testing.T) {
				call(t, v.Method(i), false)
				require.NoError(t, r.Src.SetData(0, 64))
				r.Copy(t)
			})
		}
	}
}

// Each method that takes a context.Context returns an error for nil that says so, whatever else it
// is given and would do. It holds no lock then.
func TestNilContext(t *testing.T) {
	r, objects, arguments := good(t)
	c := connect(t)
	c.lane(t)
	t.Cleanup(func() { assert.NoError(t, inOrder(c.stage(c.srv).rest).Close()) })
	objects = append(objects, c.srv, c.client, c.server, c.consumer, c.producer)
	methods := 0
	for _, o := range objects {
		v := reflect.ValueOf(o)
		for i := range v.NumMethod() {
			m := v.Method(i)
			args, takes := make([]reflect.Value, m.Type().NumIn()), false
			for k := range args {
				in := m.Type().In(k)
				args[k] = reflect.Zero(in)
				if arg, ok := arguments[in]; ok {
					args[k] = reflect.ValueOf(arg)
				}
				takes = takes || in == contextType
			}
			if !takes {
				continue
			}
			methods++
			t.Run(fmt.Sprintf("%T/%s", o, v.Type().Method(i).Name), func(t *testing.T) {
				errs := errorsOf(callInTime(t, m, args))
				require.NotEmpty(t, errs, "it cannot say that ctx is nil")
				doctest.WantErr(t, errs[len(errs)-1], doca.ErrInvalidValue, "ctx is nil: pass context.Background()")
				require.NoError(t, r.Src.SetData(0, 64))
				r.Copy(t)
			})
		}
	}
	assert.Greater(t, methods, 60, "methods that take a ctx")
}

// functions that take pointers, slices, functions, interfaces or structs with them.
var pointed = map[string]any{
	"doca.OpenDevice": doca.OpenDevice, "doca.OpenDeviceByIbdev": doca.OpenDeviceByIbdev,
	"doca.OpenDeviceByInterface": doca.OpenDeviceByInterface, "doca.OpenDeviceFunc": doca.OpenDeviceFunc,
	"doca.ImportMemory": doca.ImportMemory, "doca.NewMemory": doca.NewMemory, "doca.RegisterMemory": doca.RegisterMemory,
	"doca.NewInventory": doca.NewInventory, "doca.LogSDK": doca.LogSDK, "doca.LogSDKTo": doca.LogSDKTo,
	"dma.New": dma.New, "dma.Supported": dma.Supported, "dma.LimitsOf": dma.LimitsOf,
	"comch.Dial": comch.Dial, "comch.Listen": comch.Listen, "comch.Supported": comch.Supported, "comch.ServerSupported": comch.ServerSupported, "comch.ClientSupported": comch.ClientSupported,
	"comch.CapabilitiesOf": comch.CapabilitiesOf, "comch.NewMsgQ": comch.NewMsgQ, "comch.NewConsumerCompletion": comch.NewConsumerCompletion,
	"comchnet.Dial": comchnet.Dial, "comchnet.Listen": comchnet.Listen, "comchnet.NewConn": comchnet.NewConn, "comchnet.NewListener": comchnet.NewListener,
	"mmapadvise.New": mmapadvise.New, "mmapadvise.Supported": mmapadvise.Supported,
	"rdma.New": rdma.New, "rdma.NewOnDPA": rdma.NewOnDPA, "rdma.Supported": rdma.Supported, "rdma.CapabilitiesOf": rdma.CapabilitiesOf, "rdma.GIDs": rdma.GIDs,
	"syncevent.New": syncevent.New, "syncevent.Import": syncevent.Import, "syncevent.ImportNet": syncevent.ImportNet,
	"syncevent.NewTaskEvent": syncevent.NewTaskEvent, "syncevent.ImportTaskEvent": syncevent.ImportTaskEvent,
	"syncevent.HoldRemote": syncevent.HoldRemote, "syncevent.Supported": syncevent.Supported, "syncevent.CapabilitiesOf": syncevent.CapabilitiesOf,
	"syncevent.UseEvent": syncevent.UseEvent,
	"dpa.New":            dpa.New, "dpa.Supported": dpa.Supported, "dpa.LaunchKernel": dpa.LaunchKernel, "dpa.CallFunction": dpa.CallFunction,
	"dpa.Place": dpa.Place[uint64], "dpa.Put": dpa.Put[uint64], "dpa.Get": dpa.Get[uint64], "dpa.GetSlice": dpa.GetSlice[uint64],
	"dpa.UseThread": dpa.UseThread, "dpa.UseCompletion": dpa.UseCompletion,
	"bind.UseDPA": bind.UseDPA, "bind.DPACheck": bind.DPACheck, "bind.CheckDPA": bind.CheckDPA, "bind.UseMemory": bind.UseMemory, "bind.NewDPAMemory": bind.NewDPAMemory, "bind.MapPages": bind.MapPages,
	"bind.NewLogFile": bind.NewLogFile,
	"bind.NewContext": bind.NewContext, "bind.NewChild": bind.NewChild, "bind.AddOwner": bind.AddOwner, "bind.CreatedFor": bind.CreatedFor, "bind.CreatedHere": bind.CreatedHere,
	"bind.WithDevinfo": bind.WithDevinfo, "bind.RawBuffer": bind.RawBuffer, "bind.RawContext": bind.RawContext,
	"bind.RawDevice": bind.RawDevice, "bind.RawEngine": bind.RawEngine, "bind.RawInventory": bind.RawInventory,
	"bind.RawMemory": bind.RawMemory, "bind.RawRepresentor": bind.RawRepresentor,
}

// noErrors are the functions for which nothing is an error.
var noErrors = map[string]bool{
	"doca.Devices": true, "doca.Provider": true, "doca.NewProgressEngine": true, "doca.SetLeakReporter": true, "doca.Leaks": true,
	"doca.OpenObjects": true, "doca.ReportOpenObjects": true, "doca.SetSDKLogLevel": true, "doca.LogLevelOf": true,
	"rdma.ParseAddr": true, "bind.Overlap": true, "bind.NeedContext": true, "bind.Advice": true, "syncevent.ReleaseRemote": true,
	"bind.NewDPALink": true, "bind.ViewsOf": true, "bind.IsBuffer": true, "dpa.OnEU": true, "dpa.FuncOf": true,
}

// Each exported function returns an error for nil, for zero values and for a nil ctx.
func TestFunctionsWithNothing(t *testing.T) {
	for name, f := range pointed {
		t.Run(name, func(t *testing.T) {
			call := reflect.ValueOf(f)
			for _, zero := range []bool{false, true} {
				for _, noContext := range []bool{false, true} {
					args := make([]reflect.Value, call.Type().NumIn())
					for k := range args {
						in := call.Type().In(k)
						switch {
						case in == contextType && !noContext:
							args[k] = reflect.ValueOf(limit(t))
						case zero && in.Kind() == reflect.Pointer:
							args[k] = reflect.New(in.Elem())
						default:
							args[k] = reflect.Zero(in)
						}
					}
					errs := errorsOf(callInTime(t, call, args))
					require.Len(t, errs, 1)
					require.Error(t, errs[0])
				}
			}
		})
	}
}

// The lists of functions are complete.
func TestAllFunctions(t *testing.T) {
	for _, dir := range packages {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
					full := file.Name.Name + "." + f.Name.Name
					_, has := pointed[full]
					assert.True(t, has || noErrors[full], "add %s to the lists", full)
				}
			}
		}
	}
}

func closeNothing(context.Context) error { return nil }
