package alltests

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/mmapadvise"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
)

// handles are the types with methods that stand for an object.
var handles = []any{
	(*doca.Device)(nil), (*doca.Representor)(nil), (*doca.Memory)(nil), (*doca.Inventory)(nil), (*doca.Buffer)(nil),
	(*doca.ProgressEngine)(nil), (*doca.Context)(nil), (*doca.SDKLog)(nil),
	(*dma.DMA)(nil), (*dma.Batch)(nil), (*dma.Stream)(nil), (*dma.Future)(nil),
	(*comch.Server)(nil), (*comch.Conn)(nil), (*comch.Consumer)(nil), (*comch.Producer)(nil), (*comch.Future)(nil),
	(*comch.MsgQ)(nil), (*comch.DPAConsumer)(nil), (*comch.DPAProducer)(nil), (*comch.ConsumerCompletion)(nil),
	(*comchnet.Conn)(nil), (*comchnet.Listener)(nil),
	(*bind.Link)(nil), (*bind.Child)(nil), (*bind.Claim)(nil), (*bind.Completion)(nil), (*bind.Ranges)(nil), (*bind.Routes)(nil), (*bind.Route)(nil), (*bind.Posting)(nil),
	(*rdma.RDMA)(nil), (*rdma.Conn)(nil), (*rdma.Batch)(nil), (*rdma.Future)(nil), (*rdma.Listener)(nil), (*rdma.Request)(nil),
	(*rdma.DPARDMA)(nil), (*rdma.DPAConn)(nil),
	(*mmapadvise.MmapAdvise)(nil), (*syncevent.Event)(nil), (*syncevent.TaskEvent)(nil), (*syncevent.Remote)(nil), (*syncevent.Future)(nil),
	(*dpa.DPA)(nil), (*dpa.Memory)(nil), (*dpa.Launch)(nil), (*dpa.Thread)(nil), (*dpa.ThreadGroup)(nil), (*dpa.Completion)(nil),
	(*dpa.NotificationCompletion)(nil), (*dpa.AsyncOps)(nil), (*dpa.HashTable)(nil), (*dpa.BufArray)(nil), (*bind.LogFile)(nil),
}

// ignored are methods that ignore nil and zero values, as they say.
var ignored = map[string]bool{
	"*bind.Ranges/Close": true, // there is nothing to close
	"*bind.Link/Explain": true, // it returns the error that it gets
}

// values are the types with methods whose zero value is good.
var values = []string{
	"doca.DeviceInfo", "doca.RepresentorInfo", "doca.RepresentorFilter", "doca.Object", "doca.PCIFunctionType", "doca.State", "doca.OpError", "doca.StateError",
	"doca.Access", "doca.LogLevel", "comchnet.Addr", "comchnet.ListenConfig", "comchnet.Dialer", "comch.End", "comch.Direction", "comch.PeerError",
	"bind.Op", "bind.Segment", "bind.Held", "bind.Place", "syncevent.Locations",
	"dma.Order", "dpa.Func", "rdma.GID", "rdma.Addr", "rdma.ConnState", "rdma.PeerError",
}

// packages are the directories of the packages to import.
var packages = []string{"../..", "../../dma", "../../comch", "../../comch/comchnet", "../../bind", "../../mmapadvise", "../../syncevent", "../../rdma", "../../dpa"}

// The lists above are complete.
func TestAllTypesWithMethods(t *testing.T) {
	known := map[string]bool{}
	for _, h := range handles {
		known[strings.TrimPrefix(reflect.TypeOf(h).String(), "*")] = true
	}
	for _, v := range values {
		known[v] = true
	}
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
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv == nil || !f.Name.IsExported() {
					continue
				}
				typ := f.Recv.List[0].Type
				if p, ok := typ.(*ast.StarExpr); ok {
					typ = p.X
				}
				if id, ok := typ.(*ast.Ident); ok && id.IsExported() {
					assert.True(t, known[file.Name.Name+"."+id.Name], "add %s.%s to the lists", file.Name.Name, id.Name)
				}
			}
		}
	}
}

// Each method of a nil handle and of a zero value returns an error if it can, and does not panic
// or hang.
func TestMethodsOfNothing(t *testing.T) {
	for _, h := range handles {
		typ := reflect.TypeOf(h)
		for _, zero := range []bool{false, true} {
			for i := range typ.NumMethod() {
				m := typ.Method(i)
				t.Run(fmt.Sprintf("%v zero=%t/%s", typ, zero, m.Name), func(t *testing.T) {
					recv := reflect.New(typ).Elem()
					if zero {
						recv = reflect.New(typ.Elem())
					}
					call(t, recv.Method(i), !ignored[fmt.Sprintf("%v/%s", typ, m.Name)])
				})
			}
		}
	}
}

// call calls a method, in time, with arguments that are nil, and with pointers to zero values.
func call(t *testing.T, method reflect.Value, wantErr bool) {
	t.Helper()
	for _, zero := range []bool{false, true} {
		args := make([]reflect.Value, method.Type().NumIn())
		for k := range args {
			in := method.Type().In(k)
			switch {
			case in == contextType:
				args[k] = reflect.ValueOf(doctest.Soon(t, 10*time.Millisecond))
			case zero && in.Kind() == reflect.Pointer && in.Elem().Kind() == reflect.Struct:
				args[k] = reflect.New(in.Elem())
			default:
				args[k] = reflect.Zero(in)
			}
		}
		for _, err := range errorsOf(callInTime(t, method, args)) {
			if !wantErr {
				continue
			}
			require.Error(t, err)
			assert.True(t, errors.Is(err, doca.ErrInvalidValue), "%v", err)
			assert.Regexp(t, "it is nil or a zero value: (make one with|call Init|NewContext passes one)", err.Error())
		}
	}
}

var contextType = reflect.TypeFor[context.Context]()

// callInTime calls a function, which must not panic or hang.
func callInTime(t *testing.T, f reflect.Value, args []reflect.Value) (out []reflect.Value) {
	t.Helper()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		if f.Type().IsVariadic() {
			out = f.CallSlice(args)
		} else {
			out = f.Call(args)
		}
		for _, v := range out {
			if v.Type().CanSeq2() && v.Kind() == reflect.Func {
				for _, err := range v.Seq2() { // a loop gets an error, too
					out = append(out, err)
					break
				}
			}
		}
	}()
	select {
	case p := <-done:
		require.Nil(t, p, "panic: %v", p)
	case <-time.After(20 * time.Second):
		require.Fail(t, "the call hangs")
	}
	return out
}

// errorsOf returns the results that are errors, also nil ones.
func errorsOf(out []reflect.Value) (errs []error) {
	for _, v := range out {
		if v.Type() == reflect.TypeFor[error]() {
			err, _ := v.Interface().(error)
			errs = append(errs, err)
		}
	}
	return errs
}
