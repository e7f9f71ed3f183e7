package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tasks of one type may be those of several objects, under names of their own.
func TestTasksOfSeveralObjects(t *testing.T) {
	t.Parallel()
	lib := build(t, `
struct doca_up; struct doca_down; struct doca_y_task_send;
typedef void (*doca_y_cb_t)(struct doca_y_task_send *task, union doca_data task_data, union doca_data ctx_data);
doca_error_t doca_up_task_send_set_conf(struct doca_up *up, doca_y_cb_t task_completion_cb, doca_y_cb_t task_error_cb, uint32_t num);
doca_error_t doca_down_task_send_set_conf(struct doca_down *down, doca_y_cb_t task_completion_cb, doca_y_cb_t task_error_cb, uint32_t num);
doca_error_t doca_up_task_send_alloc_init(struct doca_up *up, const void *msg, uint32_t len, struct doca_y_task_send **task);
doca_error_t doca_down_task_send_alloc_init(struct doca_down *down, const void *msg, uint32_t len, struct doca_y_task_send **task);
doca_error_t doca_x_task_go_alloc_init(struct doca_x *x, struct doca_x_task_go **task);
struct doca_task *doca_y_task_send_as_task(struct doca_y_task_send *task);
`)
	require.Len(t, lib.Tasks, 1)
	task := lib.Tasks[0]
	assert.Empty(t, task.SetConf+task.AllocInit)
	want := []TaskOf{
		{"doca_up_task_send_set_conf", "doca_up_task_send_alloc_init"},
		{"doca_down_task_send_set_conf", "doca_down_task_send_alloc_init"},
	}
	assert.Equal(t, want, task.Of)
	assert.Equal(t, want, task.Pools())
	assert.True(t, task.Once())
	for _, f := range lib.Funcs {
		if f.CName == want[0].AllocInit {
			assert.True(t, f.Params[1].IsBytes(f.Params[2]))
			assert.False(t, f.Params[0].IsBytes(f.Params[1]))
			assert.True(t, f.Params[3].IsTask(task))
			assert.False(t, f.Params[0].IsTask(task))
		}
	}
}
