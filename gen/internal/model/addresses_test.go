package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPointersToPointers(t *testing.T) {
	t.Parallel()
	for declaration, want := range map[string][]bool{
		"doca_error_t doca_x_run(struct doca_x *x, char *const env[], size_t n);":               {false, true, false},
		"doca_error_t doca_x_deep(struct doca_x ***list);":                                      {true},
		"doca_error_t doca_x_list(struct doca_x ***list, uint32_t *n);":                         {false, false}, // a slice
		"doca_error_t doca_x_set(struct doca_x *x, void *memory);":                              {false, false},
		"doca_error_t doca_x_all(struct doca_x *const *all, size_t num, struct doca_x **more);": {false, false, false}, // the same
	} {
		t.Run(declaration, func(t *testing.T) {
			fn, _ := onlyFunc(t, declaration)
			var got []bool
			for _, p := range fn.Params {
				got = append(got, p.PointsToPointers())
			}
			assert.Equal(t, want, got, declaration)
		})
	}
}

func TestAddressesAreNumbers(t *testing.T) {
	t.Parallel()
	lib := build(t, `
		struct doca_mmap;
		doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);
		doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);
		doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
		doca_error_t doca_buf_get_head(const struct doca_buf *buf, uint64_t *head);`)
	require.Len(t, lib.Funcs, 4, "skipped: %v", lib.Skipped)
	kinds := map[string]TypeKind{}
	for _, f := range lib.Funcs {
		kinds[f.CName] = f.Params[1].Type.Kind
		assert.Equal(t, kinds[f.CName] == Address, f.Params[1].IsAddress(), f.CName)
	}
	assert.Equal(t, map[string]TypeKind{
		"doca_mmap_get_memrange": Address, "doca_buf_set_data": Address,
		"doca_mmap_set_memrange": Pointer, // of this process
		"doca_buf_get_head":      Scalar,  // is a number in C
	}, kinds)
	assert.Equal(t, &GoType{Address, "", "uintptr", "uintptr_t"}, lib.Funcs[0].Params[1].Type)
}
