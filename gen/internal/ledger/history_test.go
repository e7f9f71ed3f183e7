package ledger

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// A value that was added may need more bytes than a value took before. A library of one release then writes another number of
// bytes than bindings of the other have room for.
func TestHistoryOfSizesOfEnumerations(t *testing.T) {
	t.Parallel()
	with := func(version string, values ...string) *Ledger {
		l := &Ledger{Version: version, Symbols: []Symbol{{Name: "doca_e", Kind: Enum, C: "enum doca_e"},
			{Name: "doca_x_get", Kind: Function, Library: "x", C: "void doca_x_get(enum doca_e *e)"}}}
		for i, v := range values {
			l.Symbols = append(l.Symbols, Symbol{Name: fmt.Sprintf("DOCA_E_%d", i), Kind: Enumerator, C: "enum doca_e: " + v})
		}
		return l
	}
	old, more, large := with("3.0", "1"), with("3.1", "1", "2"), with("3.2", "1", "2", "1099511627776")
	assert.Equal(t, Span{Until: "3.2"}, NewHistory(old, []*Ledger{more, large}).Of("doca_x_get"))
	assert.Equal(t, Span{From: "3.2", Differ: "3.1"}, NewHistory(large, []*Ledger{old, more}).Of("doca_x_get"))
	assert.Equal(t, Span{}, NewHistory(more, []*Ledger{old}).Of("doca_x_get"))
}

// What a partial ledger lacks may be there, and what it has is.
func TestHistoryOfPartialLedgers(t *testing.T) {
	t.Parallel()
	with := func(version string, partial bool, names ...string) *Ledger {
		l := &Ledger{Version: version, Partial: partial}
		for _, n := range append(names, "doca_old(int a)") {
			name, _, _ := strings.Cut(n, "(")
			l.Symbols = append(l.Symbols, Symbol{Name: name, Kind: Function, Library: "x", C: "void " + n})
		}
		return l
	}
	h := NewHistory(with("3.3.0001", false, "doca_a(int a)", "doca_b(int a)", "doca_c(int a)"), []*Ledger{
		with("3.0.0058", false), with("3.1", true, "doca_a(int a)"), with("3.2", true, "doca_b(int a)"), with("3.4", true), with("3.5.1", false, "doca_a(void *p)", "doca_b(int a)"),
	})
	assert.Equal(t, Span{Since: "3.1", Before: "3.0", Until: "3.5"}, h.Of("doca_a"), "3.2 says nothing of it, nor does 3.4")
	assert.Equal(t, Span{Since: "3.2", Before: "3.0"}, h.Of("doca_b"))
	assert.Equal(t, Span{Since: "3.3", Before: "3.0"}, h.Of("doca_c"))
	assert.Equal(t, Span{}, h.Of("doca_old"))

	text := with("3.2", true, "doca_b(int a)").Text()
	l, err := Read(bytes.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, []any{"3.2", true, string(text)}, []any{l.Version, l.Partial, string(l.Text())})
}

// What the ledgers of the releases that users have say about the functions of the newest.
func TestHistoryOfReleases(t *testing.T) {
	t.Parallel()
	all, err := ReadDir(filepath.Join("..", "..", "..", "generated", "api"))
	require.NoError(t, err)
	at := len(all) - 1
	require.Equal(t, "3.2", all[at].Version)
	h := NewHistory(all[at], all)
	for name, want := range map[string]Span{
		"doca_pe_create":                        {},
		"doca_dpa_create":                       {From: "2.6", Differ: "2.5"},
		"doca_devinfo_get_active_rate":          {From: "2.10", Differ: "2.6"}, // a double there, and not in 2.5 at all
		"doca_buf_arr_create":                   {From: "2.10", Differ: "2.6"},
		"doca_rdma_task_send_allocate_init":     {From: "2.10", Differ: "2.6"},
		"doca_rdma_bridge_accept":               {From: "3.0", Differ: "2.10"}, // it took the rdma_cm_id
		"doca_dma_cap_task_memcpy_is_supported": {},
		"doca_comch_server_create":              {}, // the ledger of 2.6 has the library under another name
		"doca_uar_create":                       {Since: "3.0", Before: "2.10"},
		"doca_devinfo_get_sf_index":             {Since: "3.1", Before: "3.0"},
		"doca_dma_set_ordered_completions":      {Since: "3.2", Before: "3.0"},
	} {
		assert.Equal(t, want, h.Of(name), name)
	}
}
