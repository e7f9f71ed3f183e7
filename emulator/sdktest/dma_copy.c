/* SPDX-License-Identifier: Apache-2.0 */
/* The program: its arguments, the file, and the two sides. */

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dma_common.h"
#include "dma_copy.h"

DOCA_LOG_REGISTER(DMA_COPY);

struct copy {
	const struct copy_config *config;
	struct copy_channel channel;
	bool has_file;
	uint64_t size;
	char *bytes; /* all of the file */
};

/* ---- Arguments ---- */

static doca_error_t set_file(void *value, void *cfg)
{
	struct copy_config *config = cfg;

	return sample_copy_value("path", value, config->file, sizeof(config->file));
}

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct copy_config *config = cfg;

	return sample_copy_value("PCI address", value, config->pci_addr, sizeof(config->pci_addr));
}

#ifdef DOCA_ARCH_DPU
static doca_error_t set_rep_pci_addr(void *value, void *cfg)
{
	struct copy_config *config = cfg;

	return sample_copy_value("PCI address", value, config->rep_pci_addr, sizeof(config->rep_pci_addr));
}
#endif

static doca_error_t add_params(void)
{
	TRY(sample_add_param("f", "file", "File to copy; the side that does not have it gets it", set_file,
			     DOCA_ARGP_TYPE_STRING, true));
	TRY(sample_add_param("p", "pci-addr", "PCI address of the device", set_pci_addr, DOCA_ARGP_TYPE_STRING,
			     true));
#ifdef DOCA_ARCH_DPU
	TRY(sample_add_param("r", "rep-pci", "PCI address of the host function, as the host sees it",
			     set_rep_pci_addr, DOCA_ARGP_TYPE_STRING, true));
#endif
	return DOCA_SUCCESS;
}

/* ---- The file ---- */

static doca_error_t find_file(struct copy *copy)
{
	struct stat info;

	if (stat(copy->config->file, &info) != 0) {
		DOCA_LOG_INFO("File was not found locally");
		return DOCA_SUCCESS;
	}
	if (!S_ISREG(info.st_mode)) {
		DOCA_LOG_ERR("%s is not a file", copy->config->file);
		return DOCA_ERROR_INVALID_VALUE;
	}
	DOCA_LOG_INFO("File was found locally");
	copy->has_file = true;
	copy->size = (uint64_t)info.st_size;
	return DOCA_SUCCESS;
}

static doca_error_t make_bytes(struct copy *copy)
{
	FILE *file;
	size_t len;

	DOCA_LOG_INFO("The file size is %lu", copy->size);
	copy->bytes = calloc(1, copy->size);
	if (copy->bytes == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (!copy->has_file)
		return DOCA_SUCCESS;
	file = fopen(copy->config->file, "r");
	if (file == NULL) {
		DOCA_LOG_ERR("Cannot open %s", copy->config->file);
		return DOCA_ERROR_IO_FAILED;
	}
	len = fread(copy->bytes, 1, copy->size, file);
	(void)fclose(file);
	if (len != copy->size) {
		DOCA_LOG_ERR("Cannot read %s", copy->config->file);
		return DOCA_ERROR_IO_FAILED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t write_file(const struct copy *copy)
{
	FILE *file;
	size_t len;

	DOCA_LOG_INFO("Writing DMA buffer into a file on %s", copy->config->file);
	file = fopen(copy->config->file, "w");
	if (file == NULL) {
		DOCA_LOG_ERR("Cannot create %s", copy->config->file);
		return DOCA_ERROR_IO_FAILED;
	}
	len = fwrite(copy->bytes, 1, copy->size, file);
	if (fclose(file) != 0 || len != copy->size) {
		DOCA_LOG_ERR("Cannot write %s", copy->config->file);
		return DOCA_ERROR_IO_FAILED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t send_direction(struct copy *copy, bool is_file_in_host)
{
	struct copy_direction message = {.type = COPY_DIRECTION, .is_file_in_host = is_file_in_host};

	if (copy->has_file)
		message.file_size = htobe64(copy->size);
	return copy_send(&copy->channel, &message, sizeof(message));
}

/* ---- The sides ---- */

#ifdef DOCA_ARCH_DPU

static doca_error_t negotiate(struct copy *copy, size_t max_len)
{
	TRY(copy_wait(&copy->channel, &copy->channel.has_direction));
	if (copy->has_file == copy->channel.is_file_in_host) {
		DOCA_LOG_ERR("%s", copy->has_file ? "Both sides have the file" : "Neither side has the file");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!copy->has_file)
		copy->size = copy->channel.file_size;
	if (copy->size > max_len || copy->size == 0) {
		DOCA_LOG_ERR("The file has %lu bytes, and one DMA copies 1 to %zu", copy->size, max_len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	TRY(send_direction(copy, !copy->has_file));
	return DOCA_SUCCESS;
}

static doca_error_t dpu_copy(struct copy *copy, struct dma_core *core, const struct dma_counts *counts)
{
	struct doca_mmap **local = copy->has_file ? &core->src_mmap : &core->dst_mmap;
	struct doca_mmap **remote = copy->has_file ? &core->dst_mmap : &core->src_mmap;
	struct copy_channel *channel = &copy->channel;
	char *host = NULL;

	TRY(make_bytes(copy));
	TRY(sample_map(core->dev, copy->bytes, copy->size, local));
	TRY(copy_wait(channel, &channel->has_descriptor));
	host = (char *)channel->host_addr;
	TRY(doca_mmap_create_from_export(NULL, channel->desc, channel->desc_len, core->dev, remote));
	if (copy->has_file)
		TRY(dma_copy(core, counts, copy->bytes, host, copy->size));
	else
		TRY(dma_copy(core, counts, host, copy->bytes, copy->size));
	DOCA_LOG_INFO("DMA copy was done Successfully");
	if (!copy->has_file)
		TRY(write_file(copy));
	return DOCA_SUCCESS;
}

static doca_error_t exchange(struct copy *copy)
{
	const struct dma_counts counts = {1, 1};
	struct dma_core core = {0};
	doca_error_t result;
	size_t max_len = 0;

	result = dma_open(&core, copy->config->pci_addr, &counts);
	if (result == DOCA_SUCCESS)
		result = dma_max_len(&core, &max_len);
	if (result == DOCA_SUCCESS)
		result = negotiate(copy, max_len);
	if (result == DOCA_SUCCESS)
		result = dpu_copy(copy, &core, &counts);
	CLEAN(result, dma_close(&core));
	if (result == DOCA_SUCCESS)
		result = copy_send_status(&copy->channel, true);
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Final status message was successfully sent");
		copy_wait_for_disconnection(&copy->channel);
	}
	return result;
}

#else

static doca_error_t export_bytes(struct copy *copy, struct doca_mmap **mmap)
{
	struct copy_channel *channel = &copy->channel;
	struct copy_export_descriptor *message;
	const void *desc;
	size_t desc_len;
	doca_error_t result;

	TRY(doca_mmap_create(mmap));
	TRY(doca_mmap_add_dev(*mmap, channel->dev));
	TRY(doca_mmap_set_memrange(*mmap, copy->bytes, copy->size));
	TRY(doca_mmap_set_permissions(*mmap, copy->has_file ? DOCA_ACCESS_FLAG_PCI_READ_ONLY :
							      DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TRY(doca_mmap_start(*mmap));
	TRY(doca_mmap_export_pci(*mmap, channel->dev, &desc, &desc_len));
	message = calloc(1, sizeof(*message) + desc_len);
	if (message == NULL)
		return DOCA_ERROR_NO_MEMORY;
	message->type = COPY_EXPORT_DESCRIPTOR;
	message->host_addr = htobe64((uintptr_t)copy->bytes);
	message->desc_len = htobe64(desc_len);
	memcpy(message->desc, desc, desc_len);
	result = copy_send(channel, message, sizeof(*message) + desc_len);
	free(message);
	return result;
}

static doca_error_t host_copy(struct copy *copy, struct doca_mmap **mmap)
{
	struct copy_channel *channel = &copy->channel;

	TRY(send_direction(copy, copy->has_file));
	TRY(copy_wait(channel, &channel->has_direction));
	if (!copy->has_file)
		copy->size = channel->file_size;
	TRY(make_bytes(copy));
	TRY(export_bytes(copy, mmap));
	TRY(copy_wait(channel, &channel->has_status));
	if (!channel->is_success) {
		DOCA_LOG_ERR("The other side has given up");
		return DOCA_ERROR_UNEXPECTED;
	}
	DOCA_LOG_INFO("Final status message was successfully received");
	return DOCA_SUCCESS;
}

static doca_error_t exchange(struct copy *copy)
{
	struct doca_mmap *mmap = NULL;
	doca_error_t result = host_copy(copy, &mmap);

	if (mmap != NULL)
		CLEAN(result, doca_mmap_destroy(mmap));
	if (result == DOCA_SUCCESS && !copy->has_file)
		result = write_file(copy);
	return result;
}

#endif

static doca_error_t run(const struct copy_config *config)
{
	struct copy copy = {.config = config};
	doca_error_t result;

	result = find_file(&copy);
	if (result != DOCA_SUCCESS)
		return result;
	result = copy_connect(&copy.channel, config);
	if (result == DOCA_SUCCESS) {
		result = exchange(&copy);
		/* The peer may know it already, or have ended. */
		if (result != DOCA_SUCCESS && copy.channel.connection != NULL)
			(void)copy_send_status(&copy.channel, false);
	}
	CLEAN(result, copy_destroy(&copy.channel));
	free(copy.bytes);
	return result;
}

int main(int argc, char **argv)
{
	struct copy_config config = {0};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = doca_argp_init("doca_dma_copy", &config);
	if (result == DOCA_SUCCESS) {
		result = add_params();
		if (result == DOCA_SUCCESS)
			result = doca_argp_start(argc, argv);
		if (result == DOCA_SUCCESS)
			result = run(&config);
		(void)doca_argp_destroy();
	}
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
