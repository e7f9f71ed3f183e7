package emit

import (
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

func named(c, g string) model.Decl { return model.Decl{CName: c, GoName: g, Header: "doca_x.h"} }

// docFixture is a file of a model with the names that the comments of the tests use: package
// dma, which imports common and not argp, and a function of it.
func docFixture() (*file, *model.Func) {
	handle := func(pkg, name string) *model.GoType {
		return &model.GoType{Kind: model.Handle, Pkg: pkg, Name: "*" + name}
	}
	pointer := func(tag string) *cparse.Type {
		return &cparse.Type{Kind: cparse.Pointer, Elem: &cparse.Type{Kind: cparse.Struct, Name: tag}}
	}
	number := &cparse.Type{Kind: cparse.Named, Name: "size_t", Elem: &cparse.Type{Kind: cparse.Int, Size: 8}}
	done := &model.Callback{Func: "doca_dma_copy", Param: "done_cb", Type: "doca_dma_done_cb_t", GoName: "CopyDone",
		Args: []model.CallbackArg{
			{Name: "arg0", CType: "struct doca_dma * arg0", Slot: model.SlotObject},
			{Name: "arg1", CType: "uint32_t arg1", Slot: model.SlotArg},
			{Name: "arg2", CType: "const uint8_t * arg2", Slot: model.SlotPayload, Len: "arg1"},
			{Name: "arg3", CType: "union doca_data arg3", Slot: model.SlotCtx},
		},
		Function: &cparse.Type{Params: []cparse.Param{
			{Name: "dma", Type: pointer("doca_dma")},
			{Name: "msg_len", Type: &cparse.Type{Kind: cparse.Named, Name: "uint32_t"}},
			{Name: "msg", Type: &cparse.Type{Kind: cparse.Pointer, Elem: &cparse.Type{Kind: cparse.Int, Name: "unsigned char"}}},
			{Name: "ctx_user_data", Type: &cparse.Type{Kind: cparse.Union, Name: "doca_data"}},
		}},
	}
	fn := &model.Func{
		Decl: named("doca_dma_copy", "Copy"),
		C:    &cparse.Func{Name: "doca_dma_copy", Ret: &cparse.Type{Kind: cparse.Named, Name: "doca_error_t"}, Params: []cparse.Param{{Name: "dma", Type: pointer("doca_dma")}}},
		Ret:  model.Ret{Mode: model.RetStatus},
		Params: []*model.Param{
			{CName: "dma", GoName: "dma", Mode: model.InValue, Type: handle("dma", "DMA")},
			{CName: "src_buf", GoName: "srcBuf", Mode: model.InValue, Type: handle("common", "Buf")},
			{CName: "name", GoName: "name", Mode: model.InString},
			{CName: "data", GoName: "data", Mode: model.InBytes, Pair: 4},
			{CName: "len", GoName: "length", C: number, Mode: model.Implied, Pair: 3},
			{CName: "done_cb", GoName: "doneCB", Mode: model.InTramp, Callback: done},
			{CName: "check_cb", GoName: "checkCB", C: &cparse.Type{Name: "doca_dma_check_cb_t"}, Mode: model.InRaw},
			{CName: "is_done", GoName: "isDone", Mode: model.OutBool, Type: &model.GoType{Kind: model.Scalar, Name: "bool"}},
		},
	}
	common := &model.Library{Name: "common",
		Objects: []*model.Object{{Decl: named("doca_buf", "Buf")}, {Decl: named("doca_pe", "PE")}},
		Funcs:   []*model.Func{{Decl: named("doca_pe_progress", "PEProgress")}, {Decl: named("doca_buf_dec_refcount", "BufDecRefcount")}},
		Enums: []*model.Enum{{Decl: named("doca_error", "Error"), Consts: []model.EnumConst{
			{CName: "DOCA_SUCCESS", GoName: "Success"}, {CName: "DOCA_ERROR_INVALID_VALUE", GoName: "ErrorInvalidValue"},
			{CName: "DOCA_ERROR_NO_MEMORY", GoName: "ErrorNoMemory"}, {CName: "DOCA_ERROR_BAD_STATE", GoName: "ErrorBadState"},
		}}},
	}
	dma := &model.Library{Name: "dma", Soname: "libdoca_dma.so.2",
		Objects:   []*model.Object{{Decl: named("doca_dma", "DMA")}},
		Funcs:     []*model.Func{fn, {Decl: named("doca_dma_create", "Create")}},
		Constants: []*model.Constant{{Decl: named("DOCA_DMA_MAX_BUFS", "MaxBufs")}},
		Callbacks: []*model.Callback{done},
	}
	argp := &model.Library{Name: "argp", Funcs: []*model.Func{{Decl: named("doca_argp_init", "Init")}}}
	api := &cparse.API{Headers: []*cparse.Header{{Name: "doca_x.h", Typedefs: []*cparse.Typedef{
		{Name: "doca_error_t", Type: &cparse.Type{Kind: cparse.EnumT, Name: "doca_error"}},
		{Name: "doca_dma_done_cb_t", Type: &cparse.Type{Kind: cparse.Pointer}},
	}}}}
	e := &emitter{m: &model.Model{Libraries: []*model.Library{common, dma, argp}, API: api}, opt: Options{Path: "example.com/generated"}, lib: dma}
	return &file{emitter: e}, fn
}

// docCase is a C comment and what it becomes as the comment of function Copy, without the
// prototype at its end.
type docCase struct{ name, raw, want string }

func testDocs(t *testing.T, cases []docCase) {
	t.Helper()
	t.Parallel()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, fn := docFixture()
			fn.Doc = c.raw
			text := f.funcDoc(fn)
			formatted(t, text)
			have, proto, _ := strings.Cut(text, "\n//\n// In C:\n//\n")
			assert.Equal(t, "//\tdoca_error_t doca_dma_copy(struct doca_dma *dma)", proto)
			have = strings.Replace(plainComment(have), "\n\nIt installs callbacks that leave these records:\n  - [KindCopyDone].", "", 1)
			assert.Equal(t, strings.Trim(c.want, "\n"), have)
		})
	}
}

// plainComment is a comment without its slashes.
func plainComment(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimPrefix(l, "//")
		lines[i] = strings.TrimPrefix(l, " ")
	}
	return strings.Join(lines, "\n")
}

// formatted fails if gofmt would change a comment, wherever it stands.
func formatted(t *testing.T, text string) {
	t.Helper()
	for _, l := range strings.Split(text, "\n") {
		require.Regexp(t, `^//($|[ \t].*\S$)`, l)
	}
	source := []byte("package p\n\n" + text + "\nfunc Copy() {}\n\n// Values of something.\nconst (\n\t" + strings.ReplaceAll(text, "\n", "\n\t") + "\n\tCopies = 1\n)\n")
	out, err := format.Source(source)
	require.NoError(t, err, text)
	require.Equal(t, string(source), string(out))
}
