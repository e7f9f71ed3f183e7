package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Types whose Go names would be the same are all bound, and each function has its own.
func TestTypesOfTheSameName(t *testing.T) {
	t.Parallel()
	lib := build(t, `
		struct doca_h;
		typedef uint64_t doca_h_t;
		enum doca_mode { DOCA_MODE_A };
		typedef uint64_t doca_mode_t;
		struct doca_a_b { int x; };
		struct doca_a__b { double y; };
		union doca_A_B { double y; int x; };
		struct doca_collect;
		struct doca_c { int x; };
		enum { DOCA_C = 3 };
		typedef struct doca_c doca_c_t;
		doca_error_t doca_one(struct doca_h *h, doca_h_t number);
		doca_error_t doca_two(enum doca_mode mode, doca_mode_t number);
		doca_error_t doca_three(struct doca_a_b *a, struct doca_a__b *b, union doca_A_B *c);
		doca_error_t doca_four(struct doca_collect *collect, struct doca_c *c, doca_c_t *same);`)
	for _, s := range lib.Skipped {
		assert.Equal(t, "macro", s.Kind, "%v", s)
	}
	types := map[string][]string{}
	for _, f := range lib.Funcs {
		for _, p := range f.Params {
			types[f.CName] = append(types[f.CName], p.Type.Name)
		}
	}
	assert.Equal(t, map[string][]string{
		"doca_one":   {"*H", "HType"},
		"doca_two":   {"Mode", "ModeType"},
		"doca_three": {"*ABStruct2", "*ABStruct", "*AB"},
		"doca_four":  {"*CollectStruct", "*CStruct", "*CStruct"},
	}, types)
	assert.Equal(t, "CValue", lib.Constants[0].GoName)
}
