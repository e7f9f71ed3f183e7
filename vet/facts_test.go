package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// What the analyzers know of the API comes from its types and directives. This is some of what they have to know: who renames one of
// these, or drops a directive, learns of it here.
var known = []string{
	"makes doca.OpenDevice", "makes doca.NewProgressEngine", "makes doca.NewMemory", "makes doca.RegisterMemory", "makes doca.ImportMemory",
	"makes doca.NewInventory", "makes Inventory.Buffer", "makes Inventory.Source", "makes Inventory.List", "makes Device.OpenRepresentor",
	"makes doca.LogSDKTo", "makes dma.New", "makes DMA.NewBatch", "makes DMA.NewStream", "makes comch.Dial", "makes comch.Listen",
	"makes Server.Accept", "makes Conn.NewConsumer", "makes Conn.NewProducer", "makes comchnet.Dial", "makes comchnet.Listen", "makes Listener.Accept",
	"makes Dialer.DialContext", "makes comchnet.NewConn", "makes rdma.New", "makes RDMA.Dial", "makes RDMA.Listen", "makes RDMA.Export",
	"makes Request.Accept", "makes dpa.New", "makes dpa.Place", "makes DPA.Alloc", "makes DPA.NewThread", "makes comch.NewMsgQ", "makes syncevent.New",
	"makes syncevent.Import", "makes syncevent.NewTaskEvent", "makes bind.NewContext", "makes bind.NewChild", "makes rdma.NewOnDPA",
	"future dma.Future", "future comch.Future", "future rdma.Future", "future syncevent.Future", "batch dma.Batch", "batch rdma.Batch",
	"received comch.Received", "received rdma.Received",
	"takes Buffer.Chain next", "takes comchnet.NewConn raw", "takes comchnet.NewListener srv",
	"posts Consumer.Post buf", "posts Consumer.PostBatch bufs", "posts RDMA.Post bufs",
	"noblock doca.SetLeakReporter report", "noblock Link.Await cond", "noblock Link.AwaitPatiently cond", "noblock Link.AwaitDrained cond", "noblock Ranges.Init recall",
	"noblock ContextConfig.Handle", "noblock ContextConfig.Changed", "noblock ContextConfig.Destroy", "noblock ContextConfig.Release", "noblock ContextConfig.Later",
	"noblock ContextConfig.Room", "noblock ContextConfig.Halt", "noblock ContextConfig.Failed", "noblock ContextConfig.Owns",
}

func loadAPI(t *testing.T) []*packages.Package {
	t.Helper()
	mode := packages.NeedName | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedImports | packages.NeedDeps
	all, err := packages.Load(&packages.Config{Mode: mode, Dir: ".."}, "./doca/...")
	require.NoError(t, err)
	var api []*packages.Package
	for _, p := range all {
		require.Empty(t, p.Errors)
		if inDoca(p.Types) {
			api = append(api, p)
		}
	}
	return api
}

func TestFacts(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, p := range loadAPI(t) {
		for id, obj := range p.TypesInfo.Defs {
			if obj != nil && id.IsExported() {
				defined(found, obj)
			}
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if f, ok := p.TypesInfo.Defs[n.Name].(*types.Func); ok && n.Doc != nil {
						functionDoc(t, found, f, n.Doc)
					}
				case *ast.TypeSpec:
					if s, ok := n.Type.(*ast.StructType); ok {
						fieldDocs(t, found, n.Name.Name, s)
					}
				}
				return true
			})
		}
	}
	for _, k := range known {
		assert.True(t, found[k], k)
	}
	for _, getter := range []string{"Buffer.Memory", "Context.Device", "Consumer.Conn", "Conn.Raw"} {
		assert.False(t, found["makes "+getter], getter)
	}
}

// defined notes what types say.
func defined(found map[string]bool, obj types.Object) {
	switch obj := obj.(type) {
	case *types.Func:
		if len(makes(obj)) > 0 {
			found["makes "+describe(obj)] = true
		}
	case *types.TypeName:
		name := obj.Pkg().Name() + "." + obj.Name()
		found["future "+name] = isFuture(obj.Type())
		found["batch "+name] = isBatch(obj.Type())
		found["received "+name] = isReceived(obj.Type())
	}
}

func functionDoc(t *testing.T, found map[string]bool, f *types.Func, doc *ast.CommentGroup) {
	t.Helper()
	for _, c := range doc.List {
		rest, ok := strings.CutPrefix(c.Text, "//doca:")
		if !ok {
			continue
		}
		verb, name, _ := strings.Cut(rest, " ")
		assert.Contains(t, []string{"takes", "posts", "noblock"}, verb, describe(f))
		assert.GreaterOrEqual(t, argumentNamed(f, name), 0, "%s has no parameter %s", describe(f), name)
		found[verb+" "+describe(f)+" "+name] = true
	}
	if f.Exported() && strings.HasPrefix(f.Name(), "Post") && takesBuffers(f) && f.Pkg().Name() != "bind" {
		assert.Contains(t, directives(doc), "//doca:posts", "%s posts buffers: say which parameter", describe(f))
	}
}

func takesBuffers(f *types.Func) bool {
	for v := range f.Signature().Params().Variables() {
		t := v.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if isBuffer(t) {
			return true
		}
	}
	return false
}

func directives(doc *ast.CommentGroup) string {
	var all []string
	for _, c := range doc.List {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// fieldDocs notes directives, and holds them to what the comments say.
func fieldDocs(t *testing.T, found map[string]bool, name string, s *ast.StructType) {
	t.Helper()
	for _, field := range s.Fields.List {
		if field.Doc == nil || len(field.Names) == 0 {
			continue
		}
		text, marked := field.Doc.Text(), strings.Contains(directives(field.Doc), "//doca:noblock")
		if _, isFunc := field.Type.(*ast.FuncType); isFunc {
			flat := strings.Join(strings.Fields(text), " ")
			says := strings.Contains(flat, "must not block") || strings.Contains(flat, "rules of Handle apply") || strings.Contains(flat, "the lock is held") || strings.Contains(flat, "the lock held")
			assert.Equal(t, says, marked, "%s.%s", name, field.Names[0].Name)
		}
		if marked {
			found["noblock "+name+"."+field.Names[0].Name] = true
		}
	}
}

// The name of a parameter says whether the device writes to it. Operations that return a future have known names alone.
func TestParametersOfOperations(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range loadAPI(t) {
		for id, obj := range p.TypesInfo.Defs {
			f, ok := obj.(*types.Func)
			if !ok || !id.IsExported() || f.Signature().Results().Len() == 0 || !isFuture(f.Signature().Results().At(0).Type()) {
				continue
			}
			for i, v := range slices.Collect(f.Signature().Params().Variables()) {
				if !isBuffer(v.Type()) && !isMemory(v.Type()) {
					continue
				}
				seen++
				assert.True(t, slices.Contains(writtenParameters, v.Name()) || slices.Contains([]string{"src", "buf"}, v.Name()),
					"%s: does the device write to %s?", describe(f), v.Name())
				if isMemory(v.Type()) {
					next := f.Signature().Params().At(i + 1).Name()
					assert.Contains(t, strings.ToLower(next), "off", "%s: %s", describe(f), fmt.Sprint("the offset of ", v.Name()))
				}
			}
		}
	}
	assert.Greater(t, seen, 15)
}
