package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const typedHeader = `
enum doca_dma_mode { DOCA_DMA_MODE_A, DOCA_DMA_MODE_B };
struct doca_dma_item { uint64_t addr; uint32_t len; };
struct doca_dma_list {
	const uint32_t *indices;
	uint8_t num_indices;
	struct doca_dma_item *items;
	size_t items_len;
	enum doca_dma_mode *modes;
	int32_t n_modes;
	const uint8_t *key;
	uint16_t key_len;
	const char *name;
	void *cookie;
	double *weights; /* nothing counts them */
	uint32_t num_things;
};
doca_error_t doca_dma_apply(struct doca_dma *dma, const struct doca_dma_list *list);
doca_error_t doca_dma_set_token(struct doca_dma *dma, const uint8_t *token, size_t token_sz);
doca_error_t doca_dma_export(struct doca_dma *dma, const uint8_t **blob, size_t *sz);
doca_error_t doca_dma_h2d_memcpy(struct doca_dma *dma, uint64_t dst, void *src, size_t size);
doca_error_t doca_dma_d2h_memcpy(struct doca_dma *dma, void *dst, uint64_t src, size_t size);
doca_error_t doca_dma_h2h_memcpy(struct doca_dma *dma, void *dst, void *src, size_t size);
struct doca_dma_matrix;
doca_error_t doca_dma_matrix_create(struct doca_dma *dma, const uint8_t *data, size_t row_count, size_t column_count, struct doca_dma_matrix **matrix);
doca_error_t doca_dma_cube_create(struct doca_dma *dma, const uint8_t *data, size_t row_count, size_t column_count, size_t n_planes, struct doca_dma_matrix **matrix);
doca_error_t doca_dma_task_memcpy_set_private(struct doca_dma_task_memcpy *task, const void *private_data, uint32_t private_data_len);
doca_error_t doca_dma_task_memcpy_set_result(struct doca_dma_task_memcpy *task, uint8_t *result, uint32_t result_len);
`

const typedTest = `package dma

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"example.com/typed/bindings/abi"
)

func TestMembers(t *testing.T) {
	for name, want := range map[string]string{"Indices": "*uint32", "Items": "*dma.Item", "Modes": "*dma.Mode", "Key": "*uint8",
		"Name": "unsafe.Pointer", "Cookie": "unsafe.Pointer", "Weights": "*float64"} {
		f, ok := reflect.TypeFor[List]().FieldByName(name)
		if !ok || f.Type.String() != want {
			t.Errorf("%s is %v, want %s", name, f.Type, want)
		}
	}
	var l List
	indices, err := abi.CSliceOf[uint32](3, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer indices.Free()
	if err := l.SetIndices(indices); err != nil || l.NumIndices != 3 || unsafe.Slice(l.Indices, 3)[2] != 5 {
		t.Error(err, l)
	}
	items, err := abi.CSliceOf(Item{Addr: 7, Len: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer items.Free()
	if err := l.SetItems(items); err != nil || l.ItemsLen != 1 || l.Items.Len != 8 {
		t.Error(err, l)
	}
	many, err := abi.MakeCSlice[uint32](256)
	if err != nil {
		t.Fatal(err)
	}
	defer many.Free()
	if err := l.SetIndices(many); !errors.Is(err, abi.ErrorInvalidValue) || l.NumIndices != 3 {
		t.Error("256 in a byte:", err, l.NumIndices)
	}
	if err := l.SetIndices(abi.CSlice[uint32]{}); err != nil || l.NumIndices != 0 || l.Indices != nil {
		t.Error(err, l)
	}
	var _ = l.SetModes
	var _ = l.SetKey
	if n := reflect.TypeFor[*List]().NumMethod(); n != 4 {
		t.Errorf("%d methods", n)
	}
}

func TestMatrix(t *testing.T) {
	if err := abi.CheckMatrix("f", "data", 6, 2, 3); err != nil {
		t.Error(err)
	}
	for _, d := range [][2]uint64{{2, 2}, {1 << 63, 2}, {1 << 32, 1 << 32}} {
		if err := abi.CheckMatrix("f", "data", 6, d[0], d[1]); !errors.Is(err, abi.ErrorInvalidValue) {
			t.Error(d, err)
		}
	}
}
`

// Memory has types wherever the header tells them: members of records, bytes with a length, matrices.
func TestTypedMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sdk, out := filepath.Join(dir, "sdk"), filepath.Join(dir, "typed", "bindings")
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	header := filepath.Join(sdk, "doca_dma.h")
	text, err := os.ReadFile(header)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(header, []byte(strings.Replace(string(text), "#ifdef __cplusplus\n}", typedHeader+"#ifdef __cplusplus\n}", 1)), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Dir(out), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "typed", "go.mod"), []byte("module example.com/typed\n\ngo 1.26\n"), 0o644))
	status, _, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-libs", "common,dma", "-out", out)
	require.Zero(t, status, errOut)
	have, err := os.ReadFile(filepath.Join(out, "dma", "dma.go"))
	require.NoError(t, err)
	for _, line := range []string{
		"func SetToken(dma *DMA, token []byte) (err error)",
		"func Export(dma *DMA) (blob []byte, err error)",
		"func H2DMemcpy(dma *DMA, dst uint64, src []byte) (err error)",
		"func D2HMemcpy(dma *DMA, dst []byte, src uint64) (err error)",
		"func H2hMemcpy(dma *DMA, dst unsafe.Pointer, src unsafe.Pointer, size uint64) (err error)", // the size may be of either
		"func MatrixCreate(dma *DMA, data []byte, rowCount uint64, columnCount uint64) (matrix *Matrix, err error)",
		`abi.CheckMatrix("doca_dma_matrix_create", "data", len(data), uint64(rowCount), uint64(columnCount))`,
		"func CubeCreate(dma *DMA, data unsafe.Pointer, rowCount uint64, columnCount uint64, nPlanes uint64) (matrix *Matrix, err error)",
		"func TaskMemcpySetPrivate(task *TaskMemcpy, privateData abi.CSlice[byte]) (err error)",
		"func TaskMemcpySetResult(task *TaskMemcpy, resultValue abi.CSlice[byte]) (err error)",
	} {
		assert.True(t, strings.Contains(string(have), line), line)
	}
	require.NoError(t, os.WriteFile(filepath.Join(out, "dma", "typed_test.go"), []byte(typedTest), 0o644))
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./bindings/dma"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = filepath.Join(dir, "typed")
		said, err := cmd.CombinedOutput()
		assert.NoError(t, err, string(said))
	}
}
