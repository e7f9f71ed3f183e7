/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_MMAP_H_
#define EMU_MMAP_H_

/*
 * Memory maps.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_mmap.h>

#include "emulator.h"

struct emu_datapath;
struct emu_export;
struct emu_export_page;
struct emu_remote;

/* What a device may do with the memory of a map. */
enum {
	EMU_ACCESS_READ = 1 << 0,
	EMU_ACCESS_WRITE = 1 << 1,
};

struct doca_mmap {
	/* What the data path reads. */
	uint8_t *addr;
	size_t len;
	struct doca_dev *dev;      /* the first device; NULL: none */
	struct emu_export *import; /* what the map was made from; NULL: local memory */
	struct emu_remote *remote; /* of the import, if it is in another process */
	uint32_t access;           /* EMU_ACCESS_*; 0 while the map is not usable */

	uint32_t first_key; /* of the first device; the others follow */
	bool is_started;
	bool was_started;
	bool is_thread_safe;
	uint32_t num_bufs; /* stays 0 if thread safe, since several threads take and return buffers then */
	uint32_t permissions; /* enum doca_access_flag */
	uint32_t num_devs;
	uint32_t max_devs;
	struct doca_dev **devs; /* num_devs entries, allocated by add_dev */
	struct emu_export *exports;
	int page_fd; /* of a sync event: the page with its value, if page is set */
	struct emu_export_page *page;
	union doca_data user_data;
	doca_mmap_memrange_free_cb_t *free_cb;
	void *free_opaque;
	bool free_cb_due; /* the map was started since the callback was set */
	struct emu_datapath *dpa; /* whose memory it describes, or NULL */
	uint64_t dpa_handle;	  /* for code on a DPA; 0: none */
	void (*close_dpa_handle)(uint64_t handle); /* set with it */
};

/* Started, or made from an export and not stopped. */
static inline bool emu_mmap_is_usable(const struct doca_mmap *mmap)
{
	return mmap->is_started;
}

/* True if the device was added to the map. */
EMU_API bool emu_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev);

/* Adds a device that the map does not have. NO_MEMORY: no memory, or no room in the map. */
EMU_API doca_error_t emu_mmap_append_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* The map describes memory of a DPA, which cannot be destroyed before it. */
EMU_API void emu_mmap_set_dpa(struct doca_mmap *mmap, struct emu_datapath *dpa);
/* Ends its handle. */
EMU_LOCAL void emu_mmap_close_dpa_handle(struct doca_mmap *mmap);

/* The check of the data path. access is EMU_ACCESS_*. */
static inline bool emu_may_access(const struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t access)
{
	return mmap != NULL && (mmap->access & access) != 0 &&
	       (mmap->dev == dev || emu_mmap_has_dev(mmap, dev));
}

/* True if [addr, addr + len) is within [start, start + size), for any values. */
static inline bool emu_within(const uint8_t *addr, size_t len, const uint8_t *start, size_t size)
{
	size_t offset = (uintptr_t)addr - (uintptr_t)start;

	return offset <= size && len <= size - offset;
}

#endif /* EMU_MMAP_H_ */
