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
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, Spell(c.t, "x"))
		})
	}
}

func TestSpellExact(t *testing.T) {
	t.Parallel()
	pointer := func(e *cparse.Type) *cparse.Type { return &cparse.Type{Kind: cparse.Pointer, Elem: e} }
	char := &cparse.Type{Kind: cparse.Int, Name: "char", Size: 1, Signed: true}
	word := &cparse.Type{Kind: cparse.Named, Name: "uint32_t", Elem: &cparse.Type{Kind: cparse.Int, Size: 4, Name: "unsigned int"}, Const: true, Volatile: true}
	signed := &cparse.Type{Kind: cparse.Int, Name: "signed char", Size: 1, Signed: true}
	for _, c := range []struct {
		t    *cparse.Type
		want string
	}{
		{char, "char x"}, // signed on amd64 alone
		{signed, "int8_t x"},
		{pointer(signed), "int8_t *x"},
		{&cparse.Type{Kind: cparse.Named, Name: "doca_letter_t", Elem: char}, "char x"},
		{&cparse.Type{Kind: cparse.Bool}, "_Bool x"},
		{pointer(word), "volatile const uint32_t *x"},
		{&cparse.Type{Kind: cparse.Named, Name: "doca_register_t", Elem: word}, "volatile const uint32_t x"},
		{&cparse.Type{Kind: cparse.Named, Name: "doca_registers_t", Elem: pointer(word), Volatile: true}, "volatile const uint32_t *x"},
		{&cparse.Type{Kind: cparse.EnumT, Name: "doca_error", Size: 4}, "uint32_t x"},
		{&cparse.Type{Kind: cparse.EnumT, Name: "doca_sign", Size: 4, Signed: true}, "int32_t x"},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, SpellExact(c.t, "x"))
		})
	}
	assert.Equal(t, "char *x", Spell(pointer(signed), "x"))
	assert.Equal(t, "const uint32_t *x", Spell(pointer(word), "x"))
}
