package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
