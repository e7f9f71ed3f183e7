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

// A function that the headers of two libraries declare is in one of their packages, and the list says in which. A program can have both.
func TestFunctionsOfTwoLibraries(t *testing.T) {
	t.Parallel()
	const shared = `
doca_error_t doca_shared(struct doca_dev *dev, int (*pick)(int number));
typedef void (*doca_shared_cb_t)(struct doca_dev *dev, union doca_data ctx_user_data);
doca_error_t doca_rdma_event_register(struct doca_dev *dev, doca_shared_cb_t cb);
static inline int doca_shared_inline(int a) { return a + 1; }
`
	const end = "#ifdef __cplusplus\n}"
	sdk, out := dmaWith(t, shared), filepath.Join(t.TempDir(), "out")
	header := filepath.Join(sdk, "doca_rdma.h")
	text, err := os.ReadFile(header)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(header, []byte(strings.Replace(string(text), end, shared+end, 1)), 0o644))
	status, _, errOut := gen("generate", "-base", "none", "-libs", "dma,rdma", "-sdk", sdk, "-out", out)
	require.Zero(t, status, errOut)
	skipped, err := os.ReadFile(filepath.Join(out, "api", "skipped.txt"))
	require.NoError(t, err)
	for _, line := range []string{
		"doca_dma.h | function | doca_rdma_event_register | package rdma has it", "doca_rdma.h | function | doca_shared | package dma has it",
		"doca_rdma.h | function | doca_shared_inline | package dma has it",
	} {
		assert.Contains(t, string(skipped), line)
	}
	program := filepath.Join(out, "program")
	require.NoError(t, os.Mkdir(program, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(program, "main.go"), []byte(`package main

import (
	"out/dma"
	"out/rdma"
)

func main() { println(dma.Shared, dma.SharedInline, rdma.EventRegister, rdma.KindEvent) }
`), 0o644))
	build := exec.Command("go", "build", "-o", os.DevNull, "./program")
	build.Dir = out
	built, err := build.CombinedOutput()
	assert.NoError(t, err, string(built))
}
