/* SPDX-License-Identifier: Apache-2.0 */

/* Importers that are stopped (SIGSTOP) in the middle of a copy, while the exporter ends. */

#include "export_host.h"
#include "export_wrap.h"

/* How long a stop takes at most if it waits for nobody, and if it gives up. */
#define AT_ONCE_MS 4000
#define GIVES_UP_MS 30000

static struct doca_dev *dev;
static uint8_t *memory;
static struct doca_mmap *map;
static struct host shown; /* to the importers */

/* What the importer does: which copy, at which point it is stopped, and how the copy ends. */
static bool is_write, is_after;
static size_t copy_len;
static doca_error_t expected;

static void stop_here(void)
{
	vm_begins = vm_ends = NULL;
	raise(SIGSTOP);
}

static void import_and_stop(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&shown, dpu.f->dev);
	uint8_t *bytes = mmap(NULL, copy_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct doca_mmap *local = make_mmap(dpu.f->dev, bytes, copy_len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);

	fill(bytes, copy_len, 9);
	*(is_after ? &vm_ends : &vm_begins) = stop_here;
	CHECK((is_write ? dma_copy(dpu.f, local, bytes, import, shown.addr, copy_len) :
			  dma_copy(dpu.f, import, shown.addr, local, bytes, copy_len)) == expected);
	EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, local, bytes, import, shown.addr, copy_len));
	EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, import, shown.addr, local, bytes, copy_len));
	MUST(doca_mmap_destroy(local));
	MUST(doca_mmap_destroy(import));
	munmap(bytes, copy_len);
	delete_dpu(&dpu);
}

/* Exports memory and starts an importer. Returns when the importer is stopped. */
static pid_t begin(size_t len, doca_mmap_memrange_free_cb_t *free_cb)
{
	const void *desc;
	pid_t pid;
	int status = 0;

	copy_len = len;
	dev = open_dev(HOST_0);
	memory = mmap(NULL, copy_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fill(memory, copy_len, 1);
	map = make_mmap(dev, memory, copy_len, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (free_cb != NULL) {
		MUST(doca_mmap_stop(map));
		MUST(doca_mmap_set_free_cb(map, free_cb, NULL));
		MUST(doca_mmap_start(map));
	}
	MUST(doca_mmap_export_pci(map, dev, &desc, &shown.desc_len));
	memcpy(shown.desc, desc, shown.desc_len);
	shown.addr = memory;
	pid = start_child(import_and_stop);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	return pid;
}

static void end(void)
{
	if (map != NULL)
		EXPECT(SUCCESS, doca_mmap_destroy(map));
	munmap(memory, copy_len);
	MUST(doca_dev_close(dev));
	CHECK(!there_are_servers());
}

static doca_error_t stop_within(uint64_t ms)
{
	uint64_t begun = now_ms();
	doca_error_t result = doca_mmap_stop(map);

	CHECK(now_ms() - begun < ms);
	return result;
}

/* The exporter may use the memory at once; what the importer reads there does not count as data. */
static void stopped_readers(void)
{
	is_write = false;
	for (int i = 0; i < 4; i++) {
		pid_t pid;

		is_after = i % 2 == 1;
		expected = DOCA_ERROR_IO_FAILED;
		pid = begin(HOST_SIZE, NULL);
		if (i < 2) {
			EXPECT(SUCCESS, stop_within(AT_ONCE_MS));
			fill(memory, HOST_SIZE, 2);
		} else {
			EXPECT(SUCCESS, doca_mmap_destroy(map));
			map = NULL;
			CHECK(!there_are_servers());
		}
		kill(pid, SIGCONT);
		expect_end(pid, 0);
		end();
	}
}

/* A write that may still come cannot be prevented: the stop gives up, and the memory stays registered. */
static void stopped_writer(void)
{
	struct doca_mmap *import;
	const void *desc;
	uint8_t flag = 0;
	size_t len;
	pid_t pid;

	is_write = true;
	is_after = false;
	expected = DOCA_SUCCESS; /* the memory was valid all the time */
	pid = begin(HOST_SIZE, NULL);
	EXPECT(ERROR_IN_USE, stop_within(GIVES_UP_MS));
	CHECK(has_pattern(memory, HOST_SIZE, 1));
	EXPECT(SUCCESS, doca_mmap_get_exported(map, &flag));
	CHECK(flag == 1);
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_start(map));
	/* The export has ended anyway; the map has a new one when it is exported again. */
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, shown.desc, shown.desc_len, dev, &import));
	EXPECT(SUCCESS, doca_mmap_export_pci(map, dev, &desc, &len));
	CHECK(len == shown.desc_len && memcmp(desc, shown.desc, len) != 0);
	kill(pid, SIGCONT);
	expect_end(pid, 0);
	CHECK(has_pattern(memory, HOST_SIZE, 9));
	EXPECT(SUCCESS, stop_within(AT_ONCE_MS));
	EXPECT(SUCCESS, doca_mmap_start(map));
	end();
}

/* The map is destroyed once the importer is killed; until then its memory is not freed. */
static bool was_freed;

static void freed(void *addr, size_t len, void *opaque)
{
	CHECK(addr == memory && len == copy_len && opaque == NULL);
	was_freed = true;
}

static void destroyed_with_a_stopped_writer(void)
{
	pid_t pid;

	is_write = true;
	is_after = was_freed = false;
	pid = begin(HOST_SIZE, freed);
	EXPECT(ERROR_IN_USE, doca_mmap_destroy(map));
	CHECK(!was_freed);
	kill(pid, SIGKILL);
	expect_end(pid, SIGKILL);
	EXPECT(SUCCESS, doca_mmap_destroy(map));
	CHECK(was_freed);
	map = NULL;
	end();
}

/* A stop waits for the current piece of a write, not for the whole write. */
static void long_write(void)
{
	const size_t len = (size_t)8 << 20;
	pid_t pid;
	size_t i;

	setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "0x1000000", 1);
	is_write = true;
	is_after = true; /* the first piece has arrived */
	expected = DOCA_ERROR_IO_FAILED;
	pid = begin(len, NULL);
	CHECK(memory[0] == pattern(0, 9) && memory[len - 1] == pattern(len - 1, 1));
	EXPECT(ERROR_IN_USE, stop_within(GIVES_UP_MS));
	kill(pid, SIGCONT);
	expect_end(pid, 0);
	EXPECT(SUCCESS, stop_within(AT_ONCE_MS));
	for (i = 0; i < len && memory[i] == pattern(i, 9); i++)
		;
	CHECK(i >= 4096 && i <= len / 2);
	CHECK(memory[len - 1] == pattern(len - 1, 1));
	end();
	unsetenv("DOCA_EMU_DMA_MAX_BUF_SIZE");
}

TEST_MAIN(stopped_readers, stopped_writer, destroyed_with_a_stopped_writer, long_write, left_nothing)
