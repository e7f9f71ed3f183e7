/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of doca_log.h. Backends cannot be removed, so the order of the tests matters, but only for their
 * limits. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "check.h"

DOCA_LOG_REGISTER(LOG_TEST::MAIN);

#define LINE_FORMAT                                                                                        \
	"^\\[[0-9]{2}:[0-9]{2}:[0-9]{2}:[0-9]{6}\\]\\[%d\\]\\[DOCA\\]\\[%s\\]\\[%s:[0-9]+\\]\\[%s\\] %s\n$"

static bool is_line(const char *line, const char *level, const char *file, const char *func, const char *text)
{
	char pattern[8192];
	regex_t regex;
	bool match;

	snprintf(pattern, sizeof(pattern), LINE_FORMAT, (int)getpid(), level, file, func, text);
	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	match = regexec(&regex, line, 0, NULL, 0) == 0;
	regfree(&regex);
	return match;
}

/* A file that is rewound each time it is read. Returns what was written since the last time. */
struct sink {
	FILE *file;
	long seen;
	char text[65536];
};

static const char *written(struct sink *sink)
{
	size_t n;

	fseek(sink->file, sink->seen, SEEK_SET);
	n = fread(sink->text, 1, sizeof(sink->text) - 1, sink->file);
	sink->text[n] = '\0';
	sink->seen += (long)n;
	fseek(sink->file, 0, SEEK_END);
	return sink->text;
}

static struct sink program_sink, sdk_sink, fd_sink;
static struct doca_log_backend *program_backend, *sdk_backend;

/* Makes the SDK log one error. */
static void provoke_sdk_message(void)
{
	struct doca_argp_param *param;

	CHECK_OK(doca_argp_init("log_test", NULL));
	CHECK_OK(doca_argp_param_create(&param));
	CHECK_CODE(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_argp_destroy());
}

static void test_no_backend(void)
{
	CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
	CHECK(doca_log_level_get_global_upper_limit() == DOCA_LOG_LEVEL_CRIT);
	CHECK(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_INFO);
	CHECK_OK(doca_log(DOCA_LOG_LEVEL_CRIT, log_source, "f.c", 1, "f", "nobody reads this"));
}

static void test_arguments(void)
{
	struct doca_log_backend *b;
	char buf[8];
	int source;

	CHECK_CODE(doca_log(DOCA_LOG_LEVEL_DISABLE, 0, "f.c", 1, "f", "x"), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log(55, 0, "f.c", 1, "f", "x"), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log(80, 0, "f.c", 1, "f", "x"), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_file(NULL, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_file(stderr, NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_file_sdk(NULL, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_file_sdk(stderr, NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_fd(-1, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_fd(2, NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_fd_sdk(-1, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_buf(NULL, 8, (log_flush_callback)abort, &b),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_buf(buf, 0, (log_flush_callback)abort, &b),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_buf(buf, 8, NULL, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_buf_sdk(buf, 8, NULL, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_syslog(NULL, &b), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_create_with_syslog_sdk("x", NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_level_set_global_lower_limit(0), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_level_set_global_lower_limit(75), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_level_set_global_upper_limit(15), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_level_set_global_sdk_limit(80), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_level_lower_limit(NULL, 50), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_level_upper_limit(NULL, 50), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_level_lower_limit_strict(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_level_upper_limit_strict(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_sdk_level(NULL, 50), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_register_source(NULL, &source), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_register_source("x", NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_unregister_source(-1), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_unregister_source(1000), DOCA_ERROR_INVALID_VALUE);
}

static void test_sources(void)
{
	int a = -1, b = -1;

	CHECK(log_source >= 0);
	CHECK_OK(doca_log_register_source("A", &a));
	CHECK_OK(doca_log_register_source("A", &b));
	CHECK(a != b && a != log_source && b != log_source);
	CHECK_OK(doca_log_unregister_source(a));
	CHECK_CODE(doca_log_unregister_source(a), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_log_unregister_source(b));
}

static void test_two_worlds(void)
{
	CHECK_OK(doca_log_backend_create_with_file(program_sink.file, &program_backend));
	CHECK_OK(doca_log_backend_create_with_file_sdk(sdk_sink.file, &sdk_backend));
	CHECK_CODE(doca_log_backend_set_level_lower_limit(program_backend, 51), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_sdk_level(sdk_backend, 51), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_sdk_level(program_backend, 50), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_log_backend_set_level_lower_limit(sdk_backend, 50), DOCA_ERROR_INVALID_VALUE);

	DOCA_LOG_ERR("mine");
	CHECK(is_line(written(&program_sink), "ERR", "log_test\\.c", "test_two_worlds", "mine"));
	CHECK(strcmp(written(&sdk_sink), "") == 0);

	provoke_sdk_message();
	CHECK(strcmp(written(&program_sink), "") == 0);
	CHECK(is_line(written(&sdk_sink), "ERR", "[a-z_]+\\.c", "[a-z_]+", "[^\n]+"));
}

static void test_line(void)
{
	static char text[5000];

	errno = ENOENT;
	DOCA_LOG_CRIT("a %d %s", 1, "b");
	CHECK(errno == ENOENT);
	CHECK(is_line(written(&program_sink), "CRT", "log_test\\.c", "test_line", "a 1 b"));
	DOCA_LOG_ERR("e");
	CHECK(is_line(written(&program_sink), "ERR", "log_test\\.c", "test_line", "e"));
	DOCA_LOG_WARN("w");
	CHECK(is_line(written(&program_sink), "WRN", "log_test\\.c", "test_line", "w"));
	DOCA_LOG_INFO("i");
	CHECK(is_line(written(&program_sink), "INF", "log_test\\.c", "test_line", "i"));
	DOCA_LOG_DBG("d");
	CHECK(strcmp(written(&program_sink), "") == 0);

	CHECK_OK(doca_log(DOCA_LOG_LEVEL_INFO, log_source, "/a/b/c.c", 7, "fn", "path"));
	CHECK(is_line(written(&program_sink), "INF", "c\\.c", "fn", "path"));
	CHECK_OK(doca_log(DOCA_LOG_LEVEL_INFO, -5, NULL, 7, NULL, "no source"));
	CHECK(is_line(written(&program_sink), "INF", "\\?", "\\?", "no source"));

	for (size_t len = 900; len < sizeof(text); len += 7) {
		const char *line;

		memset(text, 'x', len);
		text[len] = '\0';
		DOCA_LOG_INFO("%s", text);
		line = written(&program_sink);
		CHECK(strlen(line) > len && strcmp(line + strlen(line) - 2, "x\n") == 0);
		CHECK(strspn(line + strlen(line) - 1 - len, "x") == len);
	}
}

static void test_global_limits(void)
{
	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_DEBUG);
	DOCA_LOG_DBG("d");
	CHECK(is_line(written(&program_sink), "DBG", "log_test\\.c", "test_global_limits", "d"));
	CHECK_OK(doca_log(DOCA_LOG_LEVEL_TRACE, log_source, "f.c", 1, "f", "t"));
	CHECK(strcmp(written(&program_sink), "") == 0);
	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	CHECK_OK(doca_log(DOCA_LOG_LEVEL_TRACE, log_source, "f.c", 1, "f", "t"));
	CHECK(is_line(written(&program_sink), "TRC", "f\\.c", "f", "t"));
	DOCA_LOG_TRC("compiled out");
	CHECK(strcmp(written(&program_sink), "") == 0);

	CHECK_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING));
	CHECK(doca_log_level_get_global_upper_limit() == DOCA_LOG_LEVEL_WARNING);
	DOCA_LOG_ERR("too severe");
	CHECK(strcmp(written(&program_sink), "") == 0);
	DOCA_LOG_WARN("w");
	CHECK(is_line(written(&program_sink), "WRN", "log_test\\.c", "test_global_limits", "w"));
	CHECK_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));

	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE));
	DOCA_LOG_CRIT("off");
	CHECK(strcmp(written(&program_sink), "") == 0);
	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));

	/* The SDK has a limit of its own. */
	CHECK_OK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_CRIT));
	CHECK(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_CRIT);
	CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
	provoke_sdk_message();
	CHECK(strcmp(written(&sdk_sink), "") == 0);
	CHECK_OK(doca_log_backend_set_sdk_level(sdk_backend, DOCA_LOG_LEVEL_ERROR));
	provoke_sdk_message();
	CHECK(strcmp(written(&sdk_sink), "") != 0);
	CHECK_OK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO));
}

static void test_backend_limits(void)
{
	static char small[64];
	struct doca_log_backend *quiet;
	int fds[2];

	CHECK(pipe(fds) == 0);
	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_WARNING));
	CHECK_OK(doca_log_backend_create_with_fd(fds[1], &quiet));
	DOCA_LOG_INFO("the new backend has the global limit");
	CHECK_OK(doca_log_backend_set_level_lower_limit(quiet, DOCA_LOG_LEVEL_INFO));
	DOCA_LOG_INFO("1");
	CHECK(read(fds[0], small, sizeof(small)) > 0);
	CHECK(strcmp(written(&program_sink), "") == 0);
	CHECK_OK(doca_log_backend_set_level_upper_limit(quiet, DOCA_LOG_LEVEL_INFO));
	DOCA_LOG_WARN("too severe for quiet");
	CHECK(strstr(written(&program_sink), "too severe") != NULL);

	/* Strict limits do not change. */
	CHECK_OK(doca_log_backend_set_level_lower_limit_strict(quiet));
	CHECK_OK(doca_log_backend_set_level_upper_limit_strict(quiet));
	CHECK_CODE(doca_log_backend_set_level_lower_limit(quiet, DOCA_LOG_LEVEL_DEBUG), DOCA_ERROR_NOT_PERMITTED);
	CHECK_CODE(doca_log_backend_set_level_upper_limit(quiet, DOCA_LOG_LEVEL_CRIT), DOCA_ERROR_NOT_PERMITTED);
	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	CHECK_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	DOCA_LOG_DBG("not for quiet");
	DOCA_LOG_ERR("nor this");
	CHECK(strstr(written(&program_sink), "not for quiet") != NULL);
	CHECK_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));
	DOCA_LOG_INFO("end");
	memset(small, 0, sizeof(small));
	CHECK(read(fds[0], small, sizeof(small)) > 0);
	CHECK(strstr(small, "[INF]") != NULL);
	written(&program_sink);

	/* If a backend's descriptor takes nothing any more, the call reports it, and the other backends get the
	 * line. */
	close(fds[0]);
	fds[0] = open("/dev/null", O_RDONLY);
	CHECK(dup2(fds[0], fds[1]) == fds[1]);
	close(fds[0]);
	CHECK_CODE(doca_log(DOCA_LOG_LEVEL_INFO, log_source, "f.c", 1, "f", "x"), DOCA_ERROR_IO_FAILED);
	CHECK(is_line(written(&program_sink), "INF", "f\\.c", "f", "x"));
	CHECK(dup2(fileno(fd_sink.file), fds[1]) == fds[1]);
}

static char buffer[100];
static int flushes;
static char flushed[sizeof(buffer)];

static void on_flush(char *text)
{
	CHECK(text == buffer);
	flushes++;
	strcpy(flushed, text);
	DOCA_LOG_INFO("a handler may log");
}

static void test_buf(void)
{
	struct doca_log_backend *b;
	const char *line;

	CHECK_OK(doca_log_backend_create_with_buf(buffer, sizeof(buffer), on_flush, &b));
	DOCA_LOG_INFO("one");
	CHECK(flushes == 1);
	CHECK(is_line(flushed, "INF", "log_test\\.c", "test_buf", "one"));
	line = written(&program_sink);
	CHECK(strstr(line, "one") != NULL && strstr(line, "a handler may log") != NULL);
	DOCA_LOG_INFO("two");
	CHECK(flushes == 2);
	CHECK(is_line(flushed, "INF", "log_test\\.c", "test_buf", "two"));
	DOCA_LOG_INFO("%0200d", 1);
	CHECK(flushes == 3);
	CHECK(strlen(flushed) == sizeof(buffer) - 1);
	CHECK_OK(doca_log_backend_set_level_lower_limit(b, DOCA_LOG_LEVEL_DISABLE));
	CHECK_OK(doca_log_backend_set_level_lower_limit_strict(b));
	written(&program_sink);
}

static char syslog_ident[64], syslog_text[1024];
static int syslog_priority;

/* These replace the functions of the C library. */
void openlog(const char *ident, int option, int facility)
{
	(void)option;
	(void)facility;
	snprintf(syslog_ident, sizeof(syslog_ident), "%s", ident);
}

static void take_syslog(int priority, const char *format, va_list args)
{
	syslog_priority = priority;
	vsnprintf(syslog_text, sizeof(syslog_text), format, args);
}

void syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	take_syslog(priority, format, args);
	va_end(args);
}

void __syslog_chk(int priority, int flag, const char *format, ...);
void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list args;

	(void)flag;
	va_start(args, format);
	take_syslog(priority, format, args);
	va_end(args);
}

static void test_syslog(void)
{
	struct doca_log_backend *b, *sdk;

	CHECK_OK(doca_log_backend_create_with_syslog("my-program", &b));
	CHECK_OK(doca_log_backend_create_with_syslog_sdk("my-sdk", &sdk));
	DOCA_LOG_WARN("to syslog");
	CHECK(strcmp(syslog_ident, "my-program") == 0);
	CHECK(syslog_priority == LOG_WARNING);
	CHECK(strstr(syslog_text, "[DOCA][WRN]") != NULL && strstr(syslog_text, "] to syslog") != NULL);
	CHECK(strchr(syslog_text, '\n') == NULL);
	provoke_sdk_message();
	CHECK(strcmp(syslog_ident, "my-sdk") == 0);
	CHECK(syslog_priority == LOG_ERR);
	CHECK_OK(doca_log_backend_set_level_lower_limit(b, DOCA_LOG_LEVEL_DISABLE));
	CHECK_OK(doca_log_backend_set_level_lower_limit_strict(b));
	written(&program_sink);
	written(&sdk_sink);
}

/* Replaces the function of the C library, which sets errno where it does not find the time zone. */
struct tm *localtime_r(const time_t *timer, struct tm *result)
{
	gmtime_r(timer, result);
	errno = ENOENT;
	return result;
}

/* %m is the error that the program has seen, also in a line that does not fit the stack. */
static void test_errno(void)
{
	static char text[5000];
	char wanted[128];

	memset(text, 'x', sizeof(text) - 1);
	snprintf(wanted, sizeof(wanted), "] why: %s x", strerror(EACCES));
	for (int len = 1; len < (int)sizeof(text); len += (int)sizeof(text) - 2) {
		errno = EACCES;
		DOCA_LOG_ERR("why: %m %.*s", len, text);
		CHECK(errno == EACCES);
		CHECK(strstr(written(&program_sink), wanted) != NULL);
	}
}

enum { NUM_THREADS = 8, NUM_LINES = 200 };

static void *log_lines(void *arg)
{
	for (int i = 0; i < NUM_LINES; i++)
		DOCA_LOG_INFO("thread %d line %d end", (int)(intptr_t)arg, i);
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[NUM_THREADS];
	int next[NUM_THREADS] = {0};
	char line[256];
	int lines = 0;

	for (int i = 0; i < NUM_THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, log_lines, (void *)(intptr_t)i) == 0);
	for (int i = 0; i < NUM_THREADS; i++)
		pthread_join(threads[i], NULL);

	fseek(program_sink.file, program_sink.seen, SEEK_SET);
	while (fgets(line, sizeof(line), program_sink.file) != NULL) {
		const char *text = strstr(line, "] thread ");
		int thread = -1, number = -1;

		CHECK(text != NULL && sscanf(text, "] thread %d line %d end\n", &thread, &number) == 2);
		CHECK(line[0] == '[' && strcmp(line + strlen(line) - 5, " end\n") == 0);
		if (thread >= 0 && thread < NUM_THREADS)
			CHECK(number == next[thread]++);
		lines++;
	}
	CHECK(lines == NUM_THREADS * NUM_LINES);
	program_sink.seen = ftell(program_sink.file);
}

static int count(const char *text, const char *needle)
{
	int n = 0;

	while ((text = strstr(text, needle)) != NULL) {
		text++;
		n++;
	}
	return n;
}

static void test_standard(void)
{
	static struct sink out, err;
	int saved_out = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO);

	out.file = tmpfile();
	err.file = tmpfile();
	fflush(stdout);
	CHECK(dup2(fileno(out.file), STDOUT_FILENO) >= 0 && dup2(fileno(err.file), STDERR_FILENO) >= 0);
	CHECK_OK(doca_log_backend_create_standard());
	DOCA_LOG_INFO("once");
	DOCA_LOG_ERR("once");
	DOCA_LOG_DBG("never");
	CHECK_OK(doca_log_backend_create_standard());
	DOCA_LOG_INFO("twice");
	provoke_sdk_message();
	fflush(stdout);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);

	CHECK(strcmp(written(&out), "") == 0);
	written(&err);
	CHECK(count(err.text, "\n") == 4);
	CHECK(count(err.text, "] once\n") == 2 && count(err.text, "] twice\n") == 2);
	CHECK(count(err.text, "[INF]") == 3 && count(err.text, "[ERR]") == 1);
	fclose(out.file);
	fclose(err.file);
	close(saved_out);
	close(saved_err);
}

int main(void)
{
	program_sink.file = tmpfile();
	sdk_sink.file = tmpfile();
	fd_sink.file = tmpfile();
	CHECK(program_sink.file != NULL && sdk_sink.file != NULL && fd_sink.file != NULL);

	test_no_backend();
	test_arguments();
	test_sources();
	test_two_worlds();
	test_line();
	test_global_limits();
	test_backend_limits();
	test_buf();
	test_syslog();
	test_errno();
	test_threads();
	test_standard();
	return check_done("log_test");
}
