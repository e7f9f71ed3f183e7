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

// taskType declares a type of tasks of DMA with one buffer and more fields.
func taskType(name string, fields ...string) string {
	tag := "doca_dma_task_" + name
	text := fmt.Sprintf(`
struct %[1]s;
typedef void (*%[1]s_cb_t)(struct %[1]s *task, union doca_data task_user_data, union doca_data ctx_user_data);
doca_error_t %[1]s_set_conf(struct doca_dma *dma, %[1]s_cb_t task_completion_cb, %[1]s_cb_t task_error_cb, uint32_t num_tasks);
doca_error_t %[1]s_alloc_init(struct doca_dma *dma, struct doca_buf *buf, struct %[1]s **task);
struct doca_task *%[1]s_as_task(struct %[1]s *task);
void %[1]s_set_buf(struct %[1]s *task, struct doca_buf *buf);
struct doca_buf *%[1]s_get_buf(const struct %[1]s *task);
`, tag)
	for _, f := range fields {
		text += strings.NewReplacer("SELF", "struct "+tag+" *task", "OF", tag).Replace(f) + ";\n"
	}
	return text
}

// The fields of a task decide in which form tasks of its type are run by the dozen. What no form
// knows is bound one by one.
func TestForms(t *testing.T) {
	t.Parallel()
	const scalar, bytes = "void OF_set_number(SELF, uint32_t number)", "void OF_set_bytes(SELF, uint8_t *bytes, uint32_t bytes_len)"
	const gotScalar, gotBytes = "uint16_t OF_get_kind(const SELF)", "const uint8_t *OF_get_bytes(const SELF)"
	const gotLen, gotMore = "uint32_t OF_get_bytes_len(const SELF)", "const uint8_t *OF_get_more(const SELF)"
	types := []struct {
		name   string
		form   string // what its submission ends in
		fields []string
	}{
		{"plain", "SubmitBatch", nil},
		{"numbered", "SubmitQueued", []string{scalar, "uint32_t OF_get_number(const SELF)"}},
		{"worded", "SubmitQueued", []string{bytes, gotBytes, gotLen}},
		{"told", "SubmitPosts", []string{gotScalar}},
		{"heard", "SubmitPosts", []string{gotScalar, gotBytes, gotLen}},
		{"both", "", []string{scalar, gotScalar}},
		{"strict", "", []string{"doca_error_t OF_set_number(SELF, uint32_t number)"}},
		{"double", "", []string{gotBytes, gotLen, gotMore, "uint32_t OF_get_more_len(const SELF)"}},
	}
	dir := t.TempDir()
	sdk, out := filepath.Join(dir, "sdk"), filepath.Join(dir, "out")
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	header := filepath.Join(sdk, "doca_dma.h")
	text, err := os.ReadFile(header)
	require.NoError(t, err)
	var more strings.Builder
	for _, c := range types {
		more.WriteString(taskType(c.name, c.fields...))
	}
	require.NoError(t, os.WriteFile(header, []byte(strings.Replace(string(text), "#ifdef __cplusplus\n}", more.String()+"#ifdef __cplusplus\n}", 1)), 0o644))
	status, _, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-out", out)
	require.Zero(t, status, errOut)

	goText, err := os.ReadFile(filepath.Join(out, "dma", "dma.go"))
	require.NoError(t, err)
	for _, c := range types {
		goName := "Task" + strings.ToUpper(c.name[:1]) + c.name[1:]
		assert.Contains(t, string(goText), "func "+goName+"AllocInit(")
		for _, form := range []string{"SubmitBatch", "SubmitQueued", "SubmitPosts"} {
			if form == c.form {
				assert.Contains(t, string(goText), "func "+goName+form+"(", c.name)
			} else {
				assert.NotContains(t, string(goText), "func "+goName+form+"(", c.name)
			}
		}
	}
	assert.Contains(t, string(goText), "func (r *TaskHeardResult) Bytes() []byte")
	vet := exec.Command("go", "vet", "./dma")
	vet.Dir = out
	answer, err := vet.CombinedOutput()
	assert.NoError(t, err, string(answer))
}
