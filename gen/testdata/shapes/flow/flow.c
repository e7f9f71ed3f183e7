/* The library of doca_flow.h: entries complete when somebody processes them, and age when somebody asks. */
#include <doca_flow.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct doca_flow_cfg { doca_flow_entry_process_cb cb; };
struct doca_flow_pipe_entry { void *user_ctx; enum { ADDED, DONE } state; struct doca_flow_pipe_entry *next; uint16_t queue; };
struct doca_flow_port { struct doca_flow_pipe_entry *entries; doca_flow_port_news_cb news; };

static doca_flow_entry_process_cb entry_cb;
static struct doca_flow_port the_port;

doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg)
{
	*cfg = calloc(1, sizeof(**cfg));
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg)
{
	free(cfg);
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_set_cb_entry_process(struct doca_flow_cfg *cfg, doca_flow_entry_process_cb cb)
{
	cfg->cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_init(struct doca_flow_cfg *cfg)
{
	entry_cb = cfg->cb;
	return DOCA_SUCCESS;
}

static void remove_all(struct doca_flow_port *port)
{
	struct doca_flow_pipe_entry *e;

	while ((e = port->entries) != NULL) {
		entry_cb(e, e->queue, DOCA_FLOW_ENTRY_STATUS_SUCCESS, DOCA_FLOW_ENTRY_OP_DEL, e->user_ctx);
		port->entries = e->next;
		free(e);
	}
}

void doca_flow_destroy(void) { remove_all(&the_port); }

doca_error_t doca_flow_port_open(uint16_t id, struct doca_flow_port **port)
{
	(void)id;
	*port = &the_port;
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_set_news_cb(struct doca_flow_port *port, doca_flow_port_news_cb news_cb)
{
	port->news = news_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_stop(struct doca_flow_port *port)
{
	remove_all(port);
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_port *port, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
	struct doca_flow_pipe_entry *e = calloc(1, sizeof(*e)), **at = &port->entries;

	e->queue = pipe_queue;
	e->user_ctx = usr_ctx;
	while (*at != NULL)
		at = &(*at)->next;
	*at = *entry = e;
	return DOCA_SUCCESS;
}

doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue, uint64_t timeout, uint64_t max_processed_entries)
{
	(void)timeout;
	for (struct doca_flow_pipe_entry *e = port->entries; e != NULL && max_processed_entries > 0; e = e->next) {
		if (e->queue != pipe_queue || e->state == DONE)
			continue;
		e->state = DONE;
		max_processed_entries--;
		entry_cb(e, pipe_queue, DOCA_FLOW_ENTRY_STATUS_SUCCESS, DOCA_FLOW_ENTRY_OP_ADD, e->user_ctx);
	}
	return DOCA_SUCCESS;
}

int doca_flow_aging_handle(struct doca_flow_port *port, uint16_t pipe_queue, uint64_t quota, uint64_t max_entries)
{
	int n = 0;

	(void)quota;
	for (struct doca_flow_pipe_entry *e = port->entries; e != NULL && max_entries > 0; e = e->next, n++, max_entries--)
		entry_cb(e, pipe_queue, DOCA_FLOW_ENTRY_STATUS_SUCCESS, DOCA_FLOW_ENTRY_OP_AGED, e->user_ctx);
	return n;
}

struct watch { struct doca_flow_port *port; uint32_t n; };

static void *watch(void *arg)
{
	struct watch *w = arg;
	char text[32];

	for (uint32_t i = 0; i < w->n; i++)
		w->port->news(w->port, text, (uint32_t)snprintf(text, sizeof(text), "news %u", i));
	return NULL;
}

doca_error_t doca_flow_port_watch(struct doca_flow_port *port, uint32_t n)
{
	struct watch w = {port, n};
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch, &w) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	pthread_join(thread, NULL);
	return DOCA_SUCCESS;
}
