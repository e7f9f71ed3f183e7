package alltests

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/rdma"
)

// What takes a slice of objects, or of structs with objects, takes no nil and no zero value in it, wherever in
// the slice; nil is an error unless it means something. Nothing is left open then.
func TestSlicesWithNothing(t *testing.T) {
	r := doctest.NewRig(t)
	net := must(rdma.New(r.Dev, r.PE, rdma.Config{}))(t)
	t.Cleanup(func() { assert.NoError(t, net.Close()) })
	objects, arguments, works := goodComch(t)
	consumer, producer := objects[3].(*comch.Consumer), objects[4].(*comch.Producer)
	var id uint32
	for typ, arg := range arguments {
		if typ.String() == "uint32" {
			id = arg.(uint32)
		}
	}
	buffer := func(b *doca.Buffer) comch.Message { return comch.Message{Buffer: b, Imm: []byte("x"), Consumer: id} }
	devices := func(d ...*doca.Device) error {
		_, err := doca.NewMemory(64, doca.MemoryConfig{Devices: d})
		_, other := doca.RegisterMemory(make([]byte, 64), doca.MemoryConfig{Devices: d})
		assert.Equal(t, err == nil, other == nil)
		return err
	}
	ranges := func(m *doca.Memory) error {
		_, err := r.Inv.List(doca.Range{Memory: r.Mem, Len: 8}, doca.Range{Memory: m, Len: 8})
		return err
	}
	ctx := limit(t)
	d := must(dpa.New(r.Dev, dpa.Config{App: dpatest.App(), Log: slog.DiscardHandler}))(t)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	thread := must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t)
	group := func(threads ...*dpa.Thread) error { _, err := d.NewThreadGroup(threads...); return err }
	for name, f := range map[string]func() error{
		"DPA.NewThreadGroup, nil last":           func() error { return group(thread, nil) },
		"DPA.NewThreadGroup, zero last":          func() error { return group(thread, &dpa.Thread{}) },
		"bind.ChildConfig.Owners, nil last":      func() error { return childOf(r.Dev, r.PE, nil) },
		"bind.ChildConfig.Owners, zero last":     func() error { return childOf(r.Dev, &dma.DMA{}) },
		"bind.ChildConfig.Owners, zero DPA":      func() error { return childOf(r.Dev, &dpa.DPA{}) },
		"bind.ChildConfig.Owners, zero Thread":   func() error { return childOf(r.Dev, &dpa.Thread{}) },
		"MemoryConfig.Devices, nil":              func() error { return devices(nil) },
		"MemoryConfig.Devices, nil last":         func() error { return devices(r.Dev, nil) },
		"MemoryConfig.Devices, zero last":        func() error { return devices(r.Dev, &doca.Device{}) },
		"Inventory.List, nil last":               func() error { return ranges(nil) },
		"Inventory.List, zero last":              func() error { return ranges(&doca.Memory{}) },
		"RDMA.Post, zero":                        func() error { _, err := net.Post(&doca.Buffer{}); return err }, // nil is for empty messages
		"Consumer.PostBatch, zero":               func() error { _, err := consumer.PostBatch([]*doca.Buffer{{}}); return err },
		"Producer.SendBatch, zero":               func() error { _, err := producer.SendBatch(ctx, []comch.Message{buffer(&doca.Buffer{})}); return err },
		"Producer.StartBatch, zero":              func() error { return producer.StartBatch([]comch.Message{buffer(&doca.Buffer{})}, new(comch.Future)) },
		"bind.CreatedFor, nil last":              func() error { return bind.CreatedFor(r.Dev, r.PE, nil) },
		"bind.CreatedFor, zero last":             func() error { return bind.CreatedFor(r.Dev, r.PE, &dma.DMA{}) },
		"bind.ChildConfig.Parent, zero":          func() error { return childOf(&dma.DMA{}) },
		"bind.ChildConfig.Parent, zero Conn":     func() error { return childOf(&comch.Conn{}) },
		"bind.ChildConfig.Parent, nil Conn":      func() error { return childOf((*comch.Conn)(nil)) },
		"bind.ChildConfig.Parent, zero Server":   func() error { return childOf(&comch.Server{}) },
		"bind.ChildConfig.Parent, zero Consumer": func() error { return childOf(&comch.Consumer{}) },
	} {
		t.Run(name, func(t *testing.T) {
			open := doca.OpenObjects()
			doctest.WantErr(t, f(), doca.ErrInvalidValue, "")
			assert.Len(t, doca.OpenObjects(), len(open))
			r.Copy(t)
			works(t)
		})
	}
}

func childOf(parent bind.Owner, owners ...bind.Owner) error {
	_, err := bind.NewChild(bind.ChildConfig{Kind: "child", Parent: parent, Owners: owners, Close: func(context.Context) error { return nil }})
	return err
}

// sliceCalls are the exported slices of objects, and of structs with objects, that functions and structs of configuration
// take, for the test above.
var sliceCalls = map[string]bool{
	"doca.MemoryConfig.Devices": true, "doca.List.ranges": true, "rdma.Post.bufs": true, "comch.PostBatch.bufs": true,
	"comch.SendBatch.msgs": true, "comch.StartBatch.msgs": true, "bind.CreatedFor.objects": true,
	"bind.ChildConfig.Owners": true, "dpa.NewThreadGroup.threads": true,
}

// others are those that calls fill, those of values, and those that the tests of their package look at.
var others = map[string]bool{"rdma.RecvBatch.out": true, "comch.RecvBatch.out": true, "rdma.TryRecvBatch.out": true, "comch.TryRecvBatch.out": true,
	"bind.Segments.out": true, "dpa.Put.values": true, "bind.Overlap.a": true, "bind.Overlap.b": true,
	"bind.Pairs.bufs": true, "bind.BeginPairs.bufs": true, "bind.ViewsOf.items": true}

// The list is complete.
func TestAllSlices(t *testing.T) {
	seen := map[string]bool{}
	look := func(name string, typ ast.Expr, names []*ast.Ident) {
		elem := typ
		switch s := typ.(type) {
		case *ast.ArrayType:
			elem = s.Elt
		case *ast.Ellipsis:
			elem = s.Elt
		default:
			return
		}
		if id, ok := elem.(*ast.Ident); ok && !id.IsExported() {
			return // of bytes and the like
		}
		for _, n := range names {
			seen[fmt.Sprint(name, ".", n.Name)] = true
		}
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
			ast.Inspect(file, func(n ast.Node) bool {
				switch d := n.(type) {
				case *ast.FuncDecl:
					if d.Name.IsExported() {
						for _, p := range d.Type.Params.List {
							look(file.Name.Name+"."+d.Name.Name, p.Type, p.Names)
						}
					}
					return false
				case *ast.TypeSpec:
					if s, ok := d.Type.(*ast.StructType); ok && strings.HasSuffix(d.Name.Name, "Config") {
						for _, f := range s.Fields.List {
							look(file.Name.Name+"."+d.Name.Name, f.Type, f.Names)
						}
					}
				}
				return true
			})
		}
	}
	for name := range seen {
		assert.True(t, sliceCalls[name] || others[name], "add %s to the lists", name)
	}
	for name := range sliceCalls {
		assert.True(t, seen[name], "%s is no more", name)
	}
}
