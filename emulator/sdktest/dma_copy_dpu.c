/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a text from the host's memory, which the host has exported: see dma_copy_host.c. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dma_common.h"

DOCA_LOG_REGISTER(DMA_COPY_DPU::MAIN);

#define MAX_PATH 1024
#define MAX_DESCRIPTOR 512

struct config {
	struct dma_counts counts;
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char descriptor_path[MAX_PATH];
	char buffer_path[MAX_PATH];
};

/* What the host's files contain. */
struct remote {
	char desc[MAX_DESCRIPTOR];
	size_t desc_len;
	char *addr;
	size_t len;
};

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("PCI address", value, config->pci_addr, sizeof(config->pci_addr));
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
	TRY(sample_add_param("d", "descriptor-path", "Path of the file with the host's export descriptor",
			     set_descriptor_path, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("b", "buffer-path", "Path of the file with the address and length of the host's buffer",
			     set_buffer_path, DOCA_ARGP_TYPE_STRING, false));
	return dma_add_count_params();
}

/* Reads at most size bytes of a file. */
static doca_error_t read_file(const char *path, char *bytes, size_t size, size_t *len)
{
	FILE *file = fopen(path, "r");

	if (file == NULL) {
		DOCA_LOG_ERR("Cannot open %s", path);
		return DOCA_ERROR_IO_FAILED;
	}
	*len = fread(bytes, 1, size, file);
	if (ferror(file) != 0) {
		(void)fclose(file);
		DOCA_LOG_ERR("Cannot read %s", path);
		return DOCA_ERROR_IO_FAILED;
	}
	(void)fclose(file);
	return DOCA_SUCCESS;
}

static doca_error_t read_remote(const struct config *config, struct remote *remote)
{
	char info[128], *end;
	size_t len;

	TRY(read_file(config->descriptor_path, remote->desc, sizeof(remote->desc), &remote->desc_len));
	TRY(read_file(config->buffer_path, info, sizeof(info) - 1, &len));
	info[len] = '\0';
	errno = 0;
	remote->addr = (char *)(uintptr_t)strtoull(info, &end, 0);
	if (*end == '\n') {
		char *second = end + 1;

		remote->len = strtoull(second, &end, 0);
		if (end == second)
			remote->len = 0;
	}
	if (errno != 0) {
		DOCA_LOG_ERR("%s does not hold an address and a length", config->buffer_path);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (remote->len == 0) {
		DOCA_LOG_ERR("The host's buffer is empty");
		return DOCA_ERROR_EMPTY;
	}
	return DOCA_SUCCESS;
}

static doca_error_t run(struct dma_core *core, const struct config *config, const struct remote *remote, char **text)
{
	size_t max_len;

	TRY(dma_open(core, config->pci_addr, &config->counts));
	TRY(dma_max_len(core, &max_len));
	if (remote->len > max_len) {
		DOCA_LOG_ERR("The device copies at most %zu bytes", max_len);
		return DOCA_ERROR_TOO_BIG;
	}
	*text = calloc(1, remote->len + 1);
	if (*text == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(sample_map(core->dev, *text, remote->len, &core->dst_mmap));
	TRY(doca_mmap_create_from_export(NULL, remote->desc, remote->desc_len, core->dev, &core->src_mmap));
	TRY(dma_copy(core, &config->counts, remote->addr, *text, remote->len));
	DOCA_LOG_INFO("Remote DMA copy was done successfully");
	DOCA_LOG_INFO("Memory content: %s", *text);
	return DOCA_SUCCESS;
}

static doca_error_t copy(const struct config *config)
{
	struct remote remote = {.len = 0};
	struct dma_core core = {0};
	char *text = NULL;
	doca_error_t result, closed;

	TRY(read_remote(config, &remote));
	result = run(&core, config, &remote, &text);
	closed = dma_close(&core);
	free(text);
	DOCA_ERROR_PROPAGATE(result, closed);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Host sample can be closed, DMA copy ended");
	return result;
}

int main(int argc, char **argv)
{
	struct config config = {
		.counts = {1, 1},
		.pci_addr = "03:00.0",
		.descriptor_path = "/tmp/export_desc.txt",
		.buffer_path = "/tmp/buffer_info.txt",
	};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");

	result = doca_argp_init("dma_copy_dpu", &config);
	if (result != DOCA_SUCCESS)
		return sample_finish(result);
	result = add_params();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result == DOCA_SUCCESS)
		result = copy(&config);
	(void)doca_argp_destroy();
	return sample_finish(result);
}
