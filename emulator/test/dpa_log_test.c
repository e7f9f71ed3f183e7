/* SPDX-License-Identifier: Apache-2.0 */
/* The log and the trace of device code, the files about a crash, and hash tables. */
#include "dpa_call.h"

#include <elf.h>

static struct doca_dev *dev;

static struct doca_dpa *make(void)
{
	struct doca_dpa *dpa;

	MUST(doca_dpa_create(dev, &dpa));
	MUST(doca_dpa_set_app(dpa, &app));
	return dpa;
}

static const char *in_dir(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", test_dir, name);
	return path[turn];
}

/* The content of a file; empty if there is none. */
static const char *content(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "re");
	size_t len = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);

	text[len] = 0;
	if (file != NULL)
		fclose(file);
	return text;
}

static void log_at(int level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	device->log(level, format, args);
	va_end(args);
}

static void log_all(void *arg)
{
	static char big[5000];

	(void)arg;
	log_at(30, "error %d\n", 1);
	log_at(40, "warning %s", "two");
	log_at(50, "info %llx", 0xdeadbeefULL);
	log_at(60, "debug");
	log_at(10, "nothing");
	log_at(1000, "nothing");
	memset(big, 'x', sizeof(big) - 1);
	log_at(30, "%s", big);
}

static void test_levels(void)
{
	static const char *const lines[] = {"[DOCA][DPA DEVICE][ERR] error 1\n", "[DOCA][DPA DEVICE][WRN] warning two\n",
					    "[DOCA][DPA DEVICE][INF] info deadbeef\n", "[DOCA][DPA DEVICE][DBG] debug\n"};
	static const doca_dpa_dev_log_level_t levels[] = {DOCA_DPA_DEV_LOG_LEVEL_DISABLE, DOCA_DPA_DEV_LOG_LEVEL_ERROR,
							  DOCA_DPA_DEV_LOG_LEVEL_WARNING, DOCA_DPA_DEV_LOG_LEVEL_INFO,
							  DOCA_DPA_DEV_LOG_LEVEL_DEBUG};

	for (size_t i = 0; i < 5; i++) {
		struct doca_dpa *dpa = make();
		doca_dpa_dev_log_level_t level;
		const char *text;

		MUST(doca_dpa_get_log_level(dpa, &level));
		CHECK(level == DOCA_DPA_DEV_LOG_LEVEL_INFO);
		MUST(doca_dpa_set_log_level(dpa, levels[i]));
		MUST(doca_dpa_get_log_level(dpa, &level));
		CHECK(level == levels[i]);
		MUST(doca_dpa_log_file_set_path(dpa, in_dir("log")));
		MUST(doca_dpa_start(dpa));
		on_dpa(dpa, log_all, NULL);
		text = content(in_dir("log"));
		for (size_t k = 0; k < 4; k++)
			CHECK((strstr(text, lines[k]) != NULL) == (k < i));
		CHECK(strstr(text, "nothing") == NULL);
		CHECK(strlen(text) < 1400); /* the long line was cut */
		MUST(doca_dpa_destroy(dpa));
	}
}

static void trace(void *arg)
{
	uint64_t num = *(uint64_t *)arg;

	for (uint64_t i = 0; i < num; i++)
		device->trace(i, UINT64_MAX, 3, 4, 5);
}

static void flush(void *arg)
{
	(void)arg;
	device->trace_flush();
}

static size_t num_lines(const char *text)
{
	size_t num = 0;

	for (; *text != 0; text++)
		num += *text == '\n';
	return num;
}

/* The trace is written by a flush, when there are many, and at the end. */
static void test_trace(void)
{
	struct doca_dpa *dpa = make();

	MUST(doca_dpa_trace_file_set_path(dpa, in_dir("trace")));
	MUST(doca_dpa_start(dpa));
	on_dpa(dpa, trace, &(uint64_t){2});
	CHECK(num_lines(content(in_dir("trace"))) == 0);
	on_dpa(dpa, flush, NULL);
	CHECK(strcmp(content(in_dir("trace")), "0 18446744073709551615 3 4 5\n1 18446744073709551615 3 4 5\n") == 0);
	on_dpa(dpa, trace, &(uint64_t){1500});
	CHECK(num_lines(content(in_dir("trace"))) == 2 + 1024);
	MUST(doca_dpa_stop(dpa));
	CHECK(num_lines(content(in_dir("trace"))) == 2 + 1500);
	MUST(doca_dpa_destroy(dpa));
}

static void test_paths(void)
{
	struct doca_dpa *dpa = make(), *ext;
	char path[128];
	uint32_t len = sizeof(path);

	MUST(doca_dpa_log_file_get_path(dpa, path, &len));
	CHECK(len == 0 && path[0] == 0);
	EXPECT(ERROR_OPERATING_SYSTEM, doca_dpa_log_file_set_path(dpa, "/dev/null/log"));
	EXPECT(ERROR_OPERATING_SYSTEM, doca_dpa_trace_file_set_path(dpa, "/dev/null/log"));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_log_file_set_path(dpa, NULL));
	MUST(doca_dpa_log_file_set_path(dpa, in_dir("log1")));
	MUST(doca_dpa_log_file_set_path(dpa, in_dir("log2")));
	MUST(doca_dpa_trace_file_set_path(dpa, in_dir("trace1")));
	len = sizeof(path);
	MUST(doca_dpa_log_file_get_path(dpa, path, &len));
	CHECK(strcmp(path, in_dir("log2")) == 0 && len == strlen(path));
	len = 3;
	EXPECT(ERROR_NO_MEMORY, doca_dpa_log_file_get_path(dpa, path, &len));
	CHECK(len == strlen(in_dir("log2")) + 1);
	MUST(doca_dpa_log_file_get_path(dpa, path, &len)); /* that is enough */
	len = sizeof(path);
	MUST(doca_dpa_trace_file_get_path(dpa, path, &len));
	CHECK(strcmp(path, in_dir("trace1")) == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_set_log_level(dpa, (doca_dpa_dev_log_level_t)20));
	MUST(doca_dpa_start(dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DEBUG));
	EXPECT(ERROR_BAD_STATE, doca_dpa_log_file_set_path(dpa, in_dir("log3")));
	EXPECT(ERROR_BAD_STATE, doca_dpa_trace_file_set_path(dpa, in_dir("log3")));
	MUST(doca_dpa_device_extend(dpa, dev, &ext));
	EXPECT(ERROR_NOT_PERMITTED, doca_dpa_set_log_level(ext, DOCA_DPA_DEV_LOG_LEVEL_DEBUG));
	EXPECT(ERROR_NOT_PERMITTED, doca_dpa_log_file_set_path(ext, in_dir("log3")));
	EXPECT(ERROR_NOT_PERMITTED, doca_dpa_trace_file_set_path(ext, in_dir("log3")));
	MUST(doca_dpa_destroy(ext));
	MUST(doca_dpa_destroy(dpa));
}

/* Crashes. */

static void crash(void *arg)
{
	static volatile uintptr_t nowhere = 8;

	(void)arg;
	*(volatile uint32_t *)nowhere = 1;
}

static const char *crash_file(const char *prefix, const char *suffix)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s.%ld.%s", in_dir(prefix), (long)getpid(), suffix);
	return path;
}

static void check_core(const char *path, uint64_t addr)
{
	const char *text = content(path);
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	memcpy(&head, text, sizeof(head));
	memcpy(&segment, text + sizeof(head), sizeof(segment));
	CHECK(memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_CORE && head.e_phnum == 1);
	CHECK(segment.p_vaddr == addr && segment.p_filesz == 16 && segment.p_type == PT_LOAD);
	CHECK(memcmp(text + segment.p_offset, "0123456789abcdef", 16) == 0);
}

static void test_crash_files(void)
{
	static const char *const prefixes[] = {"doca_dpa_fatal", "crashlog"};

	for (int i = 0; i < 2; i++) {
		struct doca_dpa *dpa = make();
		uint64_t addr;

		if (i == 1)
			MUST(doca_dpa_log_file_set_path(dpa, in_dir("crashlog")));
		MUST(doca_dpa_start(dpa));
		MUST(doca_dpa_mem_alloc(dpa, 16, &addr));
		MUST(doca_dpa_h2d_memcpy(dpa, addr, (void *)"0123456789abcdef", 16));
		IS_FATAL(dpa, crash, NULL);
		CHECK(strstr(content(crash_file(prefixes[i], "crash")), "call_rpc: thread 0 of 1: Segmentation fault at "
									"address 0x8") != NULL);
		check_core(crash_file(prefixes[i], "core"), addr);
		MUST(doca_dpa_destroy(dpa));
	}
}

static void use_no_table(void *arg)
{
	(void)arg;
	device->hash_table_remove(77, 1);
}

/* Whether the file about a crash ends as one that is about that crash alone. */
static bool ends_well(const char *text)
{
	const char *signal = strstr(text, "\nsignal: "), *instruction = strstr(text, "\ninstruction: 0x");

	if (signal == NULL || instruction == NULL || strstr(signal + 1, "\nsignal: ") != NULL)
		return false;
	return strchr(instruction + 1, '\n') == strrchr(text, '\n') && text[strlen(text) - 1] == '\n';
}

/* Contexts that fail at the same time have one file. It is about one of them. */
static void test_crashes_at_once(void)
{
	struct job jobs[] = {{crash, NULL}, {use_no_table, NULL}};
	struct doca_dpa *dpas[8];

	for (int round = 0; round < 30; round++) {
		for (int i = 0; i < 8; i++) {
			dpas[i] = make();
			MUST(doca_dpa_start(dpas[i]));
		}
		for (int i = 0; i < 8; i++)
			launch_on_dpa(dpas[i], &jobs[i % 2]);
		for (int i = 0; i < 8; i++) {
			WAIT_UNTIL(doca_dpa_peek_at_last_error(dpas[i]) == DOCA_ERROR_BAD_STATE);
			MUST(doca_dpa_destroy(dpas[i])); /* waits for the kernel, which has written the file */
		}
		CHECK(ends_well(content(crash_file("doca_dpa_fatal", "crash"))));
	}
}

/* Hash tables. */

struct table_job {
	uint64_t handle;
	uint32_t from, to, step;
	uint64_t wrong;
};

static void add_range(void *arg)
{
	const struct table_job *t = arg;

	for (uint32_t key = t->from; key != t->to; key += t->step)
		device->hash_table_add(t->handle, key, (uint64_t)key * 3);
}

static void remove_range(void *arg)
{
	const struct table_job *t = arg;

	for (uint32_t key = t->from; key != t->to; key += t->step)
		device->hash_table_remove(t->handle, key);
}

/* Counts the keys of a range that are not there as they should be. */
static void find_range(void *arg)
{
	struct table_job *t = arg;
	uint64_t value;

	t->wrong = 0;
	for (uint32_t key = t->from; key != t->to; key += t->step) {
		value = 1;
		t->wrong += device->hash_table_find(t->handle, key, &value) ? value != (uint64_t)key * 3 :
									       1 + (value != 1) * 1000000;
	}
}

static void test_hash_tables(void)
{
	struct doca_dpa *dpa = make();
	struct doca_dpa_hash_table *ht;
	struct table_job t = {.from = 0, .to = 1000, .step = 1};

	EXPECT(ERROR_BAD_STATE, doca_dpa_hash_table_create(dpa, 8, &ht));
	MUST(doca_dpa_start(dpa));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_hash_table_create(dpa, 0, &ht));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_hash_table_create(dpa, UINT32_MAX, &ht));
	MUST(doca_dpa_hash_table_create(dpa, 1000, &ht));
	MUST(doca_dpa_hash_table_get_dpa_handle(ht, &t.handle));
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	on_dpa(dpa, add_range, &t);
	on_dpa(dpa, add_range, &t); /* the same keys again */
	on_dpa(dpa, find_range, &t);
	CHECK(t.wrong == 0);
	t.step = 2;
	on_dpa(dpa, remove_range, &t);
	on_dpa(dpa, remove_range, &t);
	on_dpa(dpa, find_range, &t);
	CHECK(t.wrong == 500);
	t.from = 1;
	t.to = 1001;
	on_dpa(dpa, find_range, &t);
	CHECK(t.wrong == 0);
	/* It has room for 1024: 524 more. */
	t = (struct table_job){.handle = t.handle, .from = 5000, .to = 5000 + 524, .step = 1};
	on_dpa(dpa, add_range, &t);
	on_dpa(dpa, find_range, &t);
	CHECK(t.wrong == 0);
	t.from = 9000; /* not there, in a full table */
	t.to = 9010;
	on_dpa(dpa, find_range, &t);
	CHECK(t.wrong == 10);
	on_dpa(dpa, remove_range, &t);
	IS_FATAL(dpa, add_range, &t);
	MUST(doca_dpa_hash_table_destroy(ht));
	MUST(doca_dpa_destroy(dpa));
}

static void begin(void)
{
	dev = open_dev(DPU_0);
}

static void finish(void)
{
	MUST(doca_dev_close(dev));
}

TEST_MAIN(begin, test_levels, test_trace, test_paths, test_crash_files, test_crashes_at_once, test_hash_tables, finish)
