package model

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

func TestSpell(t *testing.T) {
	t.Parallel()
	void := &cparse.Type{Kind: cparse.Void}
	function := &cparse.Type{Kind: cparse.Named, Name: "doca_func_t", Elem: &cparse.Type{Kind: cparse.FuncT, Elem: void}}
	pointer := func(e *cparse.Type) *cparse.Type { return &cparse.Type{Kind: cparse.Pointer, Elem: e} }
	for _, c := range []struct {
		t    *cparse.Type
		want string
	}{
		{pointer(function), "void (*x)(void)"},
		{pointer(pointer(function)), "void (**x)(void)"},
		{pointer(&cparse.Type{Kind: cparse.Int, Name: "char", Size: 1, Signed: true, Const: true}), "const char *x"},
		{pointer(pointer(&cparse.Type{Kind: cparse.Struct, Name: "doca_dev"})), "struct doca_dev **x"},
		{&cparse.Type{Kind: cparse.EnumT, Name: "doca_error"}, "int32_t x"},
		{&cparse.Type{Kind: cparse.Array, Len: 3, Elem: &cparse.Type{Kind: cparse.Int, Size: 4, Name: "unsigned int"}}, "uint32_t x[3]"},
	} {
		assert.Equal(t, c.want, Spell(c.t, "x"))
	}
}
