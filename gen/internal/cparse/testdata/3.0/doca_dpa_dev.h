/**
 * @file doca_dpa_dev.h
 * @brief Device side of the DPA.
 */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

#define DOCA_DPA_DEVICE
#include <stddef.h>
#include <stdint.h>
#include <dpaintrin.h>

#include <doca_compat.h>

/** @brief Repeats a type of the host. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/** @brief How a completion came about. */
typedef enum {
	DOCA_DPA_DEV_COMP_SEND = 0x0,	 /**< Send */
	DOCA_DPA_DEV_COMP_SEND_ERR = 0xD /**< Send that failed */
} __attribute__((packed)) doca_dpa_dev_completion_type_t;

/** @brief Logs. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_log(int log_level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
