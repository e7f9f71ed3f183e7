/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_SAMPLE_H_
#define SDKTEST_SAMPLE_H_

/* What the sample programs share. They use the SDK as any program would: public headers, public functions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_argp.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

/* Makes the function that uses it return the error of call, after a log line. */
#define TRY(call)                                                                                          \
	do {                                                                                               \
		doca_error_t try_result_ = (call);                                                         \
		if (try_result_ != DOCA_SUCCESS) {                                                         \
			DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(try_result_));                  \
			return try_result_;                                                                \
		}                                                                                          \
	} while (0)

/* The same for a condition that must hold. UNEXPECTED: it does not. */
#define REQUIRE(condition)                                                                                 \
	do {                                                                                               \
		if (!(condition)) {                                                                        \
			DOCA_LOG_ERR("Does not hold: %s", #condition);                                     \
			return DOCA_ERROR_UNEXPECTED;                                                      \
		}                                                                                          \
	} while (0)

/* For cleaning up: continues after an error, and keeps the first one in result. */
#define CLEAN(result, call)                                                                                \
	do {                                                                                               \
		doca_error_t clean_result_ = (call);                                                       \
		if (clean_result_ != DOCA_SUCCESS)                                                         \
			DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(clean_result_));                \
		DOCA_ERROR_PROPAGATE(result, clean_result_);                                               \
	} while (0)

typedef doca_error_t (*capability_check)(const struct doca_devinfo *devinfo);

/* Shows the program's messages on the standard backend, and the SDK's warnings on stderr. */
doca_error_t sample_start_log(void);

/* Opens the first device that passes check and, unless pci_addr is NULL, has that address. */
doca_error_t sample_open_device(const char *pci_addr, capability_check check, struct doca_dev **dev);

/* Opens the representor on dev of the host function with that address. */
doca_error_t sample_open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep);

/* Registers a parameter of the program. */
doca_error_t sample_add_param(const char *short_name, const char *long_name, const char *description,
			      doca_argp_param_cb_t callback, enum doca_argp_type type, bool is_mandatory);
/* Copies a parameter's value into an array of size bytes. INVALID_VALUE: it does not fit. */
doca_error_t sample_copy_value(const char *name, const char *value, char *array, size_t size);

/* Creates a started map of the range, with the default permissions. */
doca_error_t sample_map(struct doca_dev *dev, void *addr, size_t len, struct doca_mmap **mmap);

/* Calls doca_pe_progress once; sleeps for a moment if nothing happened. */
void sample_progress(struct doca_pe *pe);

/* Logs the sample's last line, and returns its exit status. */
int sample_finish(doca_error_t result);

#endif /* SDKTEST_SAMPLE_H_ */
