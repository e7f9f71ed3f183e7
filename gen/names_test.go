package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dmaWith is the reference headers, with more declarations in that of DMA.
func dmaWith(t *testing.T, more string) (sdk string) {
	t.Helper()
	sdk = t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	header := filepath.Join(sdk, "doca_dma.h")
	const end = "#ifdef __cplusplus\n}"
	require.NoError(t, os.WriteFile(header, []byte(strings.Replace(contents(t, header), end, more+end, 1)), 0o644))
	return sdk
}

// dmaBindings generates bindings of the headers of dmaWith, and checks how many declarations it skips.
func dmaBindings(t *testing.T, more string, skipped int) (sdk, out string) {
	t.Helper()
	sdk, out = dmaWith(t, more), filepath.Join(t.TempDir(), "out")
	status, said, errOut := gen("generate", "-base", "none", "-libs", "dma", "-sdk", sdk, "-out", out)
	require.Zero(t, status, errOut)
	assert.Regexp(t, fmt.Sprintf(`(?m)^dma: bound \d+, skipped %d$`, skipped), said)
	return sdk, out
}

// contents returns the text of a file.
func contents(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

// passes runs a program in a directory, which must end well.
func passes(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	assert.NoError(t, err, string(text))
}

// A package has each name once, in Go and in C, whatever the declarations are called: a form keeps its name before a declaration, and
// nothing is left out.
func TestNamesOfForms(t *testing.T) {
	t.Parallel()
	sdk, out := dmaBindings(t, contents(t, "testdata/names/more.h"), 0)

	text := contents(t, out, "dma", "dma.go")
	for _, decl := range []string{
		"func SetPickFunc(dma *DMA, nextFn func(", "func SetPickFuncFunc(dma *DMA, number uint32)", "func SetPickFuncFuncFunc(dma *DMA, number uint32)",
		"func SetPickNextFunc(dma *DMA, fn unsafe.Pointer)", "func SetPickNextFuncFunc(dma *DMA, fn func(",
		"func TaskMemcpySetConfBatched(dma *DMA, numMemcpyTasks uint32)", "func TaskMemcpySetConfBatchedFunc(dma *DMA)",
		"func TaskMemcpySubmitBatch(batch *abi.Batch,", "func TaskMemcpySubmitBatchFunc(dma *DMA)",
		"type TaskMemcpyItem struct", "type TaskMemcpyItemEnum int32", "KindTaskMemcpyCompletionCallback abi.Kind",
		"func TaskMsgSetConfOnce(dma *DMA, numTasks uint32)", "func TaskMsgSetConfOnceFunc(dma *DMA)",
		"func TaskMsgSubmit(dma *DMA, msg []byte,", "func TaskMsgSubmitFunc(dma *DMA)",
		"func GetReadyMore(ring *abi.Ring,", "func GetReadyMoreFunc(dma *DMA)", "type ReadyMore struct", "type ReadyMoreStruct struct",
		"func GetReadyCallbackMore(ring *abi.Ring,", "func GetInstanceCapabilities(of *DMA)", "func GetInstanceCapabilitiesFunc(dma *DMA)",
		"func GetCapabilities(dma *DMA)", "func GetCapabilitiesSet2(of *common.Devinfo)", "type CapabilitiesSet2 struct", "Room2 ",
		"func ABFunc(", "func ABFunc2(", "func ABFunc3(", "func ABFunc4(",
	} {
		assert.Contains(t, text, decl)
	}
	again := filepath.Join(t.TempDir(), "out")
	status, _, errOut := gen("generate", "-base", "none", "-libs", "dma", "-sdk", sdk, "-out", again)
	require.Zero(t, status, errOut)
	assert.Equal(t, tree(t, out), tree(t, again))
	passes(t, out, "go", "vet", "./dma")
}

// Two functions whose forms have one name, whatever they are called themselves, are an error with both places, and nothing is written.
func TestNamesThatCannotBeKeptApart(t *testing.T) {
	t.Parallel()
	sdk, out := dmaWith(t, `
struct doca_dma_msg_task;
struct doca_task *doca_dma_msg_task_as_task(struct doca_dma_msg_task *task);
typedef void (*doca_dma_msg_task_cb_t)(struct doca_dma_msg_task *task, union doca_data task_user_data, union doca_data ctx_user_data);
doca_error_t doca_dma_msg_set_conf(struct doca_dma *dma, doca_dma_msg_task_cb_t task_completion_cb, doca_dma_msg_task_cb_t task_error_cb);
doca_error_t doca_dma_msg_alloc_init(struct doca_dma *dma, struct doca_dma_msg_task **task);
doca_error_t doca_dma_msg_allocate_init(struct doca_dma *dma, uint32_t number, struct doca_dma_msg_task **task);
`), filepath.Join(t.TempDir(), "out")
	status, _, errOut := gen("generate", "-base", "none", "-libs", "dma", "-sdk", sdk, "-out", out)
	assert.Equal(t, 1, status)
	assert.Regexp(t, `doca_dma.h:\d+: doca_dma_msg_allocate_init has a form MsgSetConfOnce, and so has doca_dma_msg_alloc_init in doca_dma.h:\d+`, errOut)
	assert.NoDirExists(t, out)
}

// The members of items and results, which C and Go share, each have a name that both can write.
func TestMembersOfForms(t *testing.T) {
	t.Parallel()
	_, out := dmaBindings(t, contents(t, "testdata/names/members.h"), 0)
	text := contents(t, out, "dma", "dma.go")
	for _, member := range []string{
		`Value +uint32 +// doca_dma_task_q_set_a`, `B +uint16 +// doca_dma_task_q_set_b`, `C +uint16 +// doca_dma_task_q_set_c`,
		`D +uint16 +// doca_dma_task_q_set_d`, `E +uint16 +// doca_dma_task_q_set_e`, `ExchangeBuf +common.BufView`, `User2 +uint32 +// doca_dma_task_p_get_user`,
		`IntBuf +common.BufView`, `AB +common.BufView`, `ABBuf +common.BufView`,
	} {
		assert.Regexp(t, member, text)
	}
	passes(t, out, "go", "build", "./dma")
}

// A record that is declared in the place of a member leaves the types of the library their names, whichever comes first.
func TestNamesOfInnerRecords(t *testing.T) {
	t.Parallel()
	_, out := dmaBindings(t, `
struct doca_dma_outer { struct { int x; } inner; };
struct doca_dma_outer_inner { struct doca_dma_outer o; };
doca_error_t doca_dma_take_inner(struct doca_dma_outer_inner *i);
`, 0)
	text := contents(t, out, "dma", "dma.go")
	assert.Contains(t, text, "type OuterInnerMember struct {\n\tX int32\n}")
	assert.Contains(t, text, "type OuterInner struct {\n\tO Outer\n}")
	assert.Contains(t, text, "func TakeInner(i *OuterInner)")
}
