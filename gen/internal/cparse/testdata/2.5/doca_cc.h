/**
 * @file doca_cc.h
 * @brief Messages between host and DPU.
 */
#ifndef DOCA_CC_H_
#define DOCA_CC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/***********************************************************************
 * Connections
 ***********************************************************************/

struct doca_devinfo;
struct doca_cc_connection;
struct doca_cc_event_connection_status_changed;

/** @brief Counters of a connection. */
enum doca_cc_counter {
	DOCA_CC_COUNTER_SENT_MESSAGES = 1, ///< Messages
	                                   ///< that left.
	DOCA_CC_COUNTER_SENT_BYTES = 2,
	DOCA_CC_COUNTER_RECV_MESSAGES = 3,
	DOCA_CC_COUNTER_RECV_BYTES = 4,
};

/**
 * @brief Called when a connection comes or goes.
 */
typedef void (*doca_cc_event_connection_status_changed_cb_t)(struct doca_cc_event_connection_status_changed *event,
							     struct doca_cc_connection *connection,
							     bool change_successful);

/**
 * @brief Sets what a callback gets.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection, union doca_data user_data);

DOCA_EXPERIMENTAL
union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *connection);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, size_t *size);

/** @brief Goes away. */
DOCA_DEPRECATED
doca_error_t doca_cc_cap_get_max_size(const struct doca_devinfo *devinfo, size_t *size);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
