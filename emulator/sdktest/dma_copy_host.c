/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the DPU read a text: exports its memory, and writes what the DPU needs to know to two files. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

DOCA_LOG_REGISTER(DMA_COPY_HOST::MAIN);

#define MAX_TEXT 4096
#define MAX_PATH 1024

struct config {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char text[MAX_TEXT + 1];
	char descriptor_path[MAX_PATH];
	char buffer_path[MAX_PATH];
};

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("PCI address", value, config->pci_addr, sizeof(config->pci_addr));
}

static doca_error_t set_text(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("text", value, config->text, sizeof(config->text));
}

static doca_error_t set_descriptor_path(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("path", value, config->descriptor_path, sizeof(config->descriptor_path));
}

static doca_error_t set_buffer_path(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("path", value, config->buffer_path, sizeof(config->buffer_path));
}

static doca_error_t add_params(void)
{
	TRY(sample_add_param("p", "pci-addr", "PCI address of the DMA device", set_pci_addr,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("t", "text", "Text that the DPU reads", set_text, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("d", "descriptor-path", "Path of the file for the export descriptor",
			     set_descriptor_path, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("b", "buffer-path", "Path of the file for the buffer's address and length",
			     set_buffer_path, DOCA_ARGP_TYPE_STRING, false));
	return DOCA_SUCCESS;
}

/* Accepts any device that can export over PCI. */
static doca_error_t can_export(const struct doca_devinfo *devinfo)
{
	uint8_t can = 0;
	doca_error_t result = doca_mmap_cap_is_export_pci_supported(devinfo, &can);

	if (result == DOCA_SUCCESS && can == 0)
		return DOCA_ERROR_NOT_SUPPORTED;
	return result;
}

static doca_error_t write_file(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "w");
	bool is_written;

	if (file == NULL) {
		DOCA_LOG_ERR("Cannot create %s", path);
		return DOCA_ERROR_IO_FAILED;
	}
	is_written = fwrite(bytes, 1, len, file) == len;
	if (fclose(file) != 0 || !is_written) {
		DOCA_LOG_ERR("Cannot write %s", path);
		return DOCA_ERROR_IO_FAILED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t export_text(const struct config *config, struct doca_dev *dev, struct doca_mmap *mmap,
				char *text, size_t len)
{
	const void *desc;
	size_t desc_len;
	char info[64];
	int c;

	TRY(doca_mmap_add_dev(mmap, dev));
	TRY(doca_mmap_set_memrange(mmap, text, len));
	TRY(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	TRY(doca_mmap_start(mmap));
	TRY(doca_mmap_export_pci(mmap, dev, &desc, &desc_len));
	snprintf(info, sizeof(info), "%llu\n%zu", (unsigned long long)(uintptr_t)text, len);
	TRY(write_file(config->descriptor_path, desc, desc_len));
	TRY(write_file(config->buffer_path, info, strlen(info)));
	DOCA_LOG_INFO("Copy %s and %s to the DPU and run the sample dma_copy_dpu there", config->descriptor_path,
		      config->buffer_path);
	DOCA_LOG_INFO("Press Enter when it has ended");
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
	return DOCA_SUCCESS;
}

static doca_error_t run(const struct config *config)
{
	size_t len = strlen(config->text) + 1;
	char *text = strdup(config->text);
	struct doca_mmap *mmap = NULL;
	struct doca_dev *dev = NULL;
	doca_error_t result = text == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;

	if (result == DOCA_SUCCESS)
		result = sample_open_device(config->pci_addr, can_export, &dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_create(&mmap);
	if (result == DOCA_SUCCESS)
		result = export_text(config, dev, mmap, text, len);
	if (mmap != NULL)
		CLEAN(result, doca_mmap_destroy(mmap)); /* this ends the export, too */
	if (dev != NULL)
		CLEAN(result, doca_dev_close(dev));
	free(text);
	return result;
}

int main(int argc, char **argv)
{
	struct config config = {
		.pci_addr = "b1:00.0",
		.text = "This is a sample piece of text",
		.descriptor_path = "/tmp/export_desc.txt",
		.buffer_path = "/tmp/buffer_info.txt",
	};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");

	result = doca_argp_init("dma_copy_host", &config);
	if (result != DOCA_SUCCESS)
		return sample_finish(result);
	result = add_params();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result == DOCA_SUCCESS)
		result = run(&config);
	(void)doca_argp_destroy();
	return sample_finish(result);
}
