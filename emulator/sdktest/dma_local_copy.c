/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a text from one buffer to another with one DMA task; either side may be a list of buffers. */

#include <stdlib.h>
#include <string.h>

#include "dma_common.h"

DOCA_LOG_REGISTER(DMA_LOCAL_COPY::MAIN);

#define MAX_TEXT 4096

struct config {
	struct dma_counts counts;
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char text[MAX_TEXT + 1];
};

/* ---- Arguments ---- */

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

static doca_error_t add_params(void)
{
	TRY(sample_add_param("p", "pci-addr", "PCI address of the DMA device", set_pci_addr,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("t", "text", "Text to copy", set_text, DOCA_ARGP_TYPE_STRING, false));
	return dma_add_count_params();
}

#ifdef DOCA_ARCH_DPU

/* ---- The copy ---- */

static doca_error_t run(struct dma_core *core, const struct config *config, char *src, char *dst, size_t len)
{
	size_t max_len;

	TRY(dma_open(core, config->pci_addr, &config->counts));
	TRY(dma_max_len(core, &max_len));
	if (len > max_len) {
		DOCA_LOG_ERR("The device copies at most %zu bytes", max_len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	TRY(sample_map(core->dev, src, len, &core->src_mmap));
	TRY(sample_map(core->dev, dst, len, &core->dst_mmap));
	TRY(dma_copy(core, &config->counts, src, dst, len));
	if (memcmp(src, dst, len) != 0) {
		DOCA_LOG_ERR("The copy differs");
		return DOCA_ERROR_UNEXPECTED;
	}
	DOCA_LOG_INFO("Memory was copied and verified as correct: %s", dst);
	return DOCA_SUCCESS;
}

static doca_error_t copy(const struct config *config)
{
	size_t len = strlen(config->text) + 1;
	char *src = strdup(config->text), *dst = calloc(1, len);
	struct dma_core core = {0};
	doca_error_t result = DOCA_ERROR_NO_MEMORY, destroyed;

	if (src != NULL && dst != NULL) {
		result = run(&core, config, src, dst, len);
		/* The memory is freed before its maps are destroyed, which do not access it any more. */
		free(src);
		free(dst);
		destroyed = dma_close(&core);
		DOCA_ERROR_PROPAGATE(result, destroyed);
		return result;
	}
	free(src);
	free(dst);
	return result;
}

#else

static doca_error_t copy(const struct config *config)
{
	(void)config;
	DOCA_LOG_ERR("Local DMA copy can run on the DPU only");
	return DOCA_ERROR_NOT_SUPPORTED;
}

#endif

int main(int argc, char **argv)
{
	struct config config = {
		.pci_addr = "03:00.0", .text = "This is a sample piece of text", .counts = {1, 1}};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");

	result = doca_argp_init("dma_local_copy", &config);
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
