/* Names that the forms of other functions have, or other declarations in Go. */
typedef int (*doca_dma_pick_t)(uint32_t number);
doca_error_t doca_dma_set_pick(struct doca_dma *dma, doca_dma_pick_t next_fn);
doca_error_t doca_dma_set_pick_func(struct doca_dma *dma, uint32_t number);
doca_error_t doca_dma_set_pick_func_func(struct doca_dma *dma, uint32_t number);
doca_error_t doca_dma_set_pick_next(struct doca_dma *dma, doca_dma_pick_t fn);

doca_error_t doca_dma_task_memcpy_set_conf_batched(struct doca_dma *dma);
doca_error_t doca_dma_task_memcpy_submit_batch(struct doca_dma *dma);
enum doca_dma_task_memcpy_item { DOCA_DMA_KIND_TASK_MEMCPY_COMPLETION, DOCA_DMA_A_B };

struct doca_dma_task_msg;
typedef void (*doca_dma_task_msg_cb_t)(struct doca_dma_task_msg *task, union doca_data task_user_data, union doca_data ctx_user_data);
doca_error_t doca_dma_task_msg_set_conf(struct doca_dma *dma, doca_dma_task_msg_cb_t task_completion_cb, doca_dma_task_msg_cb_t task_error_cb, uint32_t num_tasks);
doca_error_t doca_dma_task_msg_alloc_init(struct doca_dma *dma, const void *msg, uint32_t len, struct doca_dma_task_msg **task);
struct doca_task *doca_dma_task_msg_as_task(struct doca_dma_task_msg *task);
doca_error_t doca_dma_task_msg_set_conf_once(struct doca_dma *dma);
doca_error_t doca_dma_task_msg_submit(struct doca_dma *dma);

typedef void (*doca_dma_ready_cb_t)(struct doca_dma *dma, union doca_data ctx_user_data, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
doca_error_t doca_dma_ready_register(struct doca_dma *dma, doca_dma_ready_cb_t cb);
doca_error_t doca_dma_ready_set_conf(struct doca_dma *dma, doca_dma_ready_cb_t cb);
doca_error_t doca_dma_get_ready_more(struct doca_dma *dma);
struct doca_dma_ready_more { uint32_t number; };

doca_error_t doca_dma_get_capabilities(struct doca_dma *dma);
doca_error_t doca_dma_get_instance_capabilities(struct doca_dma *dma);
enum doca_dma_capabilities { DOCA_DMA_CAPABILITIES_SET };
doca_error_t doca_dma_cap_get_room(const struct doca_devinfo *devinfo, uint32_t *room);
doca_error_t doca_dma_cap_room(const struct doca_devinfo *devinfo, uint32_t *room);

doca_error_t doca_dma_a_b(struct doca_dma *dma);
doca_error_t doca_dma_a__b(struct doca_dma *dma);
doca_error_t doca_dma_a_b_(struct doca_dma *dma);
doca_error_t dma_a_b(struct doca_dma *dma);
doca_error_t doca_dma_table(struct doca_dma *dma);
doca_error_t doca_enter(struct doca_dma *dma);

typedef void (*doca_dma_event_cb_t)(struct doca_dma *dma, union doca_data ctx_user_data);
doca_error_t doca_dma_task_memcpy_completion_batched_register(struct doca_dma *dma, doca_dma_event_cb_t cb);
doca_error_t doca_dma_task_memcpy_completion_batched_more_register(struct doca_dma *dma, doca_dma_event_cb_t cb);
doca_error_t doca_on_dma_task_memcpy_error(struct doca_dma *dma);
