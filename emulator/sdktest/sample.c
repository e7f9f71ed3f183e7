/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

DOCA_LOG_REGISTER(SAMPLE);

doca_error_t sample_start_log(void)
{
	struct doca_log_backend *sdk_log;
	doca_error_t result;

	result = doca_log_backend_create_standard();
	if (result == DOCA_SUCCESS)
		result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
	if (result == DOCA_SUCCESS)
		result = doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
	return result;
}

doca_error_t sample_open_device(const char *pci_addr, capability_check check, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t num;
	doca_error_t result = DOCA_ERROR_NOT_FOUND, destroyed;

	TRY(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && result != DOCA_SUCCESS; i++) {
		uint8_t is_equal = 1;

		if (pci_addr != NULL &&
		    doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal) != DOCA_SUCCESS)
			continue;
		if (is_equal == 0 || check(list[i]) != DOCA_SUCCESS)
			continue;
		result = doca_dev_open(list[i], dev);
	}
	destroyed = doca_devinfo_destroy_list(list);
	DOCA_ERROR_PROPAGATE(result, destroyed);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("No device %s: %s", pci_addr != NULL ? pci_addr : "with the capability",
			     doca_error_get_descr(result));
	return result;
}

doca_error_t sample_open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t num;
	doca_error_t result = DOCA_ERROR_NOT_FOUND, destroyed;

	TRY(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	for (uint32_t i = 0; i < num && result != DOCA_SUCCESS; i++) {
		uint8_t is_equal = 0;

		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &is_equal) == DOCA_SUCCESS &&
		    is_equal != 0)
			result = doca_dev_rep_open(list[i], rep);
	}
	destroyed = doca_devinfo_rep_destroy_list(list);
	DOCA_ERROR_PROPAGATE(result, destroyed);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("No representor %s: %s", pci_addr, doca_error_get_descr(result));
	return result;
}

doca_error_t sample_add_param(const char *short_name, const char *long_name, const char *description,
			      doca_argp_param_cb_t callback, enum doca_argp_type type, bool is_mandatory)
{
	struct doca_argp_param *param;

	TRY(doca_argp_param_create(&param));
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, description);
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, type);
	if (is_mandatory)
		doca_argp_param_set_mandatory(param);
	TRY(doca_argp_register_param(param));
	return DOCA_SUCCESS;
}

doca_error_t sample_copy_value(const char *name, const char *value, char *array, size_t size)
{
	if (strlen(value) >= size) {
		DOCA_LOG_ERR("The %s has no more than %zu characters", name, size - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	strcpy(array, value);
	return DOCA_SUCCESS;
}

doca_error_t sample_map(struct doca_dev *dev, void *addr, size_t len, struct doca_mmap **mmap)
{
	TRY(doca_mmap_create(mmap));
	TRY(doca_mmap_add_dev(*mmap, dev));
	TRY(doca_mmap_set_memrange(*mmap, addr, len));
	TRY(doca_mmap_start(*mmap));
	return DOCA_SUCCESS;
}

void sample_progress(struct doca_pe *pe)
{
	const struct timespec rest = {.tv_nsec = 10 * 1000};

	if (doca_pe_progress(pe) == 0)
		nanosleep(&rest, NULL);
}

int sample_finish(doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Sample finished successfully");
	else
		DOCA_LOG_INFO("Sample finished with errors");
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
