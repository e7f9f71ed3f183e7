/*
 * Copyright the go-doca authors. Licensed under the Apache License, Version 2.0.
 *
 * A made-up library with the shape of one that has no contexts: its callbacks run during its own functions.
 */
#ifndef DOCA_FLOW_H_
#define DOCA_FLOW_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_flow_cfg;
struct doca_flow_port;
struct doca_flow_pipe;
struct doca_flow_pipe_cfg;
struct doca_flow_pipe_entry;

/** What has become of an entry. */
enum doca_flow_entry_status {
	DOCA_FLOW_ENTRY_STATUS_IN_PROCESS, /**< It is still worked on. */
	DOCA_FLOW_ENTRY_STATUS_SUCCESS,    /**< It is in the hardware. */
	DOCA_FLOW_ENTRY_STATUS_ERROR,      /**< It is not. */
};

/** What was done with an entry. */
enum doca_flow_entry_op {
	DOCA_FLOW_ENTRY_OP_ADD, /**< Added. */
	DOCA_FLOW_ENTRY_OP_DEL, /**< Removed. */
	DOCA_FLOW_ENTRY_OP_AGED, /**< Unused for long. */
};

/**
 * @brief Called for each entry that was processed.
 *
 * @param [in] entry The entry.
 * @param [in] pipe_queue The queue of the operation.
 * @param [in] status What became of it.
 * @param [in] op The operation.
 * @param [in] user_ctx What the program gave with the entry.
 */
typedef void (*doca_flow_entry_process_cb)(struct doca_flow_pipe_entry *entry, uint16_t pipe_queue, enum doca_flow_entry_status status,
					   enum doca_flow_entry_op op, void *user_ctx);

/**
 * @brief Called with what a port has to tell.
 *
 * @param [in] port The port.
 * @param [in] text What it tells.
 * @param [in] text_len Length of text in bytes.
 */
typedef void (*doca_flow_port_news_cb)(struct doca_flow_port *port, const char *text, uint32_t text_len);

DOCA_EXPERIMENTAL
doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg);

DOCA_EXPERIMENTAL
doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg);

/** @brief Sets the callback for entries. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_cfg_set_cb_entry_process(struct doca_flow_cfg *cfg, doca_flow_entry_process_cb cb);

DOCA_EXPERIMENTAL
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg);

/** @brief Ends the library, and removes all entries. */
DOCA_EXPERIMENTAL
void doca_flow_destroy(void);

/** @brief Opens a port. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_open(uint16_t id, struct doca_flow_port **port);

/** @brief Sets the callback for the news of a port. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_set_news_cb(struct doca_flow_port *port, doca_flow_port_news_cb news_cb);

/** @brief Stops a port. Entries that are there are removed. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_stop(struct doca_flow_port *port);

/** @brief Adds an entry. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_port *port, void *usr_ctx, struct doca_flow_pipe_entry **entry);

/** @brief Works on the entries of a queue, for up to a timeout. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue, uint64_t timeout, uint64_t max_processed_entries);

/** @brief Looks for entries that nothing has used for long. */
DOCA_EXPERIMENTAL
int doca_flow_aging_handle(struct doca_flow_port *port, uint16_t pipe_queue, uint64_t quota, uint64_t max_entries);

/** @brief Has a thread of the library tell the news n times. */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_watch(struct doca_flow_port *port, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
