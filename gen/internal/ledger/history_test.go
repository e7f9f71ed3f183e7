package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	fn := func(name, c string) Symbol { return Symbol{Name: name, Kind: Function, Library: "x", C: c} }
	value := func(n string) Symbol { return Symbol{Name: "DOCA_E_A", Kind: Enumerator, C: "enum doca_e: " + n} }
	enum := Symbol{Name: "doca_e", Kind: Enum, C: "enum doca_e"}
	record := func(c string) Symbol { return Symbol{Name: "doca_s", Kind: Struct, C: c} }
	older := &Ledger{Version: "2.2.0080", Symbols: []Symbol{enum, value("1"), record("struct doca_s { int a } size 4"),
		fn("doca_changed", "void doca_changed(struct doca_m *m)"), fn("doca_same", "void doca_same(int a)"),
		fn("doca_enum", "void doca_enum(enum doca_e e)"), fn("doca_struct", "void doca_struct(struct doca_s *s)")}}
	old := &Ledger{Version: "2.5.0108", Symbols: []Symbol{enum, value("1"), record("struct doca_s { int a } size 4"),
		fn("doca_changed", "void doca_changed(size_t n)"), fn("doca_same", "void doca_same(int32_t b)"),
		fn("doca_enum", "void doca_enum(enum doca_e e)"), fn("doca_struct", "void doca_struct(struct doca_s *s)")}}
	now := &Ledger{Version: "3.0.0058", Symbols: []Symbol{enum, value("3"), record("struct doca_s { int a; int b } size 8"),
		fn("doca_changed", "void doca_changed(const size_t num)"), fn("doca_same", "void doca_same(int a)"),
		fn("doca_new", "void doca_new(void)"), fn("doca_later", "void doca_later(int a)"),
		fn("doca_enum", "void doca_enum(enum doca_e e)"), fn("doca_struct", "void doca_struct(struct doca_s *s)"),
		{Name: "doca_y_new", Kind: Function, Library: "y", C: "void doca_y_new(void)"}}}
	next := &Ledger{Version: "3.3.0001", Symbols: []Symbol{enum, value("3"), fn("doca_later", "void doca_later(void *p)")}}
	h := NewHistory(now, []*Ledger{next, now, old, older})
	assert.Equal(t, Span{From: "2.5", Differ: "2.2"}, h.Of("doca_changed"))
	assert.Equal(t, Span{}, h.Of("doca_same"))
	assert.Equal(t, Span{Since: "3.0", Before: "2.5"}, h.Of("doca_new"))
	assert.Equal(t, Span{Since: "3.0", Before: "2.5", Until: "3.3"}, h.Of("doca_later"))
	assert.Equal(t, Span{From: "3.0", Differ: "2.5"}, h.Of("doca_enum"), "its values moved")
	assert.Equal(t, Span{From: "3.0", Differ: "2.5"}, h.Of("doca_struct"), "its layout changed")
	assert.Equal(t, Span{}, h.Of("doca_y_new"), "the older ledgers do not cover its library")
	assert.Equal(t, Span{}, h.Of("doca_none"))
}
