/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "emu_checksum.h"
#include "emu_dev.h"
#include "emu_export_table.h"
#include "emu_export_wire.h"
#include "emu_host.h"
#include "emu_log.h"
#include "emu_mmap.h"
#include "emu_peer.h"
#include "emu_remote.h"

static const char desc_magic[8] = {'D', 'O', 'C', 'A', 'E', 'M', 'U', 'M'};

#define MAX_DESC_LEN 512 /* with the zeros that may follow it */

/* Guards everything here. Its readers are accesses to imported memory. A stop must not wait for a moment when no
 * thread copies, so writers come first, and no reader takes the lock twice. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct emu_export *all;
static uint8_t process_id[EMU_EXPORT_ID_SIZE];
static bool have_process_id;

void emu_exports_lock(void)
{
	pthread_rwlock_wrlock(&lock);
}

void emu_exports_unlock(void)
{
	pthread_rwlock_unlock(&lock);
}

static bool fill_random(uint8_t bytes[EMU_EXPORT_ID_SIZE])
{
	size_t done = 0;

	while (done < EMU_EXPORT_ID_SIZE) {
		ssize_t got = getrandom(bytes + done, EMU_EXPORT_ID_SIZE - done, 0);

		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			done += (size_t)got;
	}
	return true;
}

/* Takes constant time, which does not reveal where two keys differ. */
static bool is_equal_id(const uint8_t *a, const uint8_t *b)
{
	uint8_t difference = 0;

	for (size_t i = 0; i < EMU_EXPORT_ID_SIZE; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}

/* The process. */

bool emu_exports_name_process(void)
{
	bool is_named;

	pthread_rwlock_wrlock(&lock);
	if (!have_process_id)
		have_process_id = fill_random(process_id);
	is_named = have_process_id;
	pthread_rwlock_unlock(&lock);
	return is_named;
}

const uint8_t *emu_exports_process(void)
{
	return process_id;
}

bool emu_export_is_own(const struct emu_export_desc *desc)
{
	return have_process_id && is_equal_id(desc->process, process_id);
}

void emu_exports_forget(void)
{
	have_process_id = false;
	all = NULL;
	/* The lock stores the thread id of its holder, which differs in the child: unlocking is not enough. */
	pthread_rwlock_unlock(&lock);
	lock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
}

/* Exports of this process. */

/* The export has a mapping of its own: it may outlive the event. */
static bool share_page(struct emu_export *made, const struct doca_mmap *mmap)
{
	if (mmap->page == NULL)
		return true;
	made->page_fd = fcntl(mmap->page_fd, F_DUPFD_CLOEXEC, 0);
	if (made->page_fd < 0)
		return false;
	made->page = emu_shared_map(made->page_fd, EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE);
	if (made->page != NULL)
		return true;
	close(made->page_fd);
	return false;
}

static uint32_t checksum(const struct emu_export_desc *desc, const struct emu_export_net *net)
{
	return emu_checksum(emu_checksum(EMU_CHECKSUM_START, desc, sizeof(*desc)), net,
			    offsetof(struct emu_export_net, checksum));
}

static void describe_for_net(struct emu_export *export)
{
	struct emu_export_net *net = &export->net;

	net->addr = (uintptr_t)export->addr;
	net->len = export->len;
	net->permissions = export->permissions;
	net->is_passed_on = export->parent != NULL;
	emu_host_id(net->host);
	net->checksum = checksum(&export->desc, net);
}

size_t emu_export_desc_len(const struct emu_export *export)
{
	_Static_assert(offsetof(struct emu_export, net) == sizeof(export->desc), "the two are one descriptor");

	return sizeof(export->desc) + (export->desc.kind == EMU_EXPORT_RDMA ? sizeof(export->net) : 0);
}

doca_error_t emu_export_add(struct doca_mmap *mmap, const struct doca_dev *dev, enum emu_export_kind kind,
			    struct emu_export **export)
{
	struct emu_export *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (!fill_random(made->desc.key) || !share_page(made, mmap)) {
		free(made);
		return DOCA_ERROR_DRIVER;
	}
	memcpy(made->desc.magic, desc_magic, sizeof(desc_magic));
	memcpy(made->desc.process, process_id, sizeof(process_id));
	made->desc.version = EMU_EXPORT_VERSION;
	made->desc.kind = kind;
	made->dev = dev;
	made->addr = mmap->addr;
	made->len = mmap->len;
	made->permissions = mmap->permissions;
	made->refcount = 1;
	made->is_alive = true;
	made->parent = mmap->import;
	if (made->parent != NULL)
		made->parent->refcount++;
	if (kind == EMU_EXPORT_RDMA)
		describe_for_net(made);
	made->next = all;
	all = made;
	made->next_of_mmap = mmap->exports;
	mmap->exports = made;
	*export = made;
	return DOCA_SUCCESS;
}

void emu_export_remove(struct emu_export *export)
{
	struct emu_export **at = &all;

	while (*at != export)
		at = &(*at)->next;
	*at = export->next;
}

doca_error_t emu_export_admit(const struct emu_export_desc *desc, uint32_t port, struct emu_export **export)
{
	struct emu_export *found = NULL;

	for (struct emu_export *one = all; one != NULL; one = one->next) {
		if (is_equal_id(one->desc.key, desc->key))
			found = one;
	}
	if (found == NULL || memcmp(&found->desc, desc, sizeof(*desc)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	/* An export over PCI is for its function and for the one at the other end. */
	if (desc->kind != EMU_EXPORT_RDMA && found->dev->info.function->port != port)
		return DOCA_ERROR_NOT_PERMITTED;
	found->refcount++;
	*export = found;
	return DOCA_SUCCESS;
}

struct emu_export *emu_export_with_key(const uint8_t key[EMU_EXPORT_ID_SIZE])
{
	struct emu_export *found = NULL;

	for (struct emu_export *one = all; one != NULL; one = one->next) {
		if (one->desc.kind == EMU_EXPORT_RDMA && is_equal_id(one->desc.key, key))
			found = one;
	}
	return found;
}

/* References. */

struct emu_export *emu_export_unref_locked(struct emu_export *export)
{
	struct emu_export *released = NULL;

	while (export != NULL && --export->refcount == 0) {
		struct emu_export *parent = export->parent;

		export->next = released;
		released = export;
		export = parent;
	}
	return released;
}

void emu_export_release(struct emu_export *export)
{
	while (export != NULL) {
		struct emu_export *next = export->next;

		if (export->remote != NULL)
			emu_remote_close(export->remote);
		if (export->page != NULL) {
			munmap(export->page, EMU_EXPORT_SHARED_SIZE);
			close(export->page_fd);
		}
		free(export);
		export = next;
	}
}

void emu_export_unref(struct emu_export *export)
{
	struct emu_export *released;

	pthread_rwlock_wrlock(&lock);
	released = emu_export_unref_locked(export);
	pthread_rwlock_unlock(&lock);
	emu_export_release(released);
}

void emu_import_hold(struct emu_export *export)
{
	pthread_rwlock_wrlock(&lock);
	export->refcount++;
	pthread_rwlock_unlock(&lock);
}

void emu_import_release(struct emu_export *export)
{
	emu_export_unref(export);
}

/* What an importer needs. */

/* A program may pass the descriptor in a larger buffer, if the rest is zero. */
static bool has_desc_length(const uint8_t *desc, size_t len, size_t needed)
{
	if (len < needed || len > MAX_DESC_LEN)
		return false;
	for (size_t i = needed; i < len; i++) {
		if (desc[i] != 0)
			return false;
	}
	return true;
}

doca_error_t emu_export_read_desc(const void *bytes, size_t len, struct emu_export_desc *desc,
				  struct emu_export_net *net)
{
	const size_t head = offsetof(struct emu_export_desc, version) + sizeof(desc->version);

	*desc = (struct emu_export_desc){.version = 0};
	memcpy(desc, bytes, len < head ? len : head);
	if (memcmp(desc->magic, desc_magic, sizeof(desc_magic)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (len >= head && desc->version != EMU_EXPORT_VERSION) {
		EMU_LOG_ERR("import: the descriptor has version %u, this emulator has version %d: build both programs with "
			    "the same release",
			    desc->version, EMU_EXPORT_VERSION);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	if (len < sizeof(*desc))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(desc, bytes, sizeof(*desc));
	if (desc->kind != EMU_EXPORT_RDMA)
		return has_desc_length(bytes, len, sizeof(*desc)) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
	if (!has_desc_length(bytes, len, sizeof(*desc) + sizeof(*net)))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(net, (const uint8_t *)bytes + sizeof(*desc), sizeof(*net));
	if (net->checksum != checksum(desc, net)) {
		EMU_LOG_ERR("import: the descriptor of the RDMA export is damaged");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

uint32_t emu_export_access(const struct emu_export *export)
{
	if (export->desc.kind != EMU_EXPORT_PCI)
		return 0;
	if (export->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE)
		return EMU_ACCESS_READ | EMU_ACCESS_WRITE;
	return EMU_ACCESS_READ;
}

void emu_import_lock(void)
{
	pthread_rwlock_rdlock(&lock);
}

void emu_import_unlock(void)
{
	pthread_rwlock_unlock(&lock);
}

bool emu_import_is_alive(const struct doca_mmap *mmap)
{
	for (const struct emu_export *export = mmap->import; export != NULL; export = export->parent) {
		if (!export->is_alive || (export->remote != NULL && emu_remote_has_ended(export->remote)))
			return false;
	}
	return true;
}
