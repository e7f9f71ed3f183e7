/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of doca_argp.h. Most of them end in a process that exits or prints, so each case runs in a child: a
 * setup function registers parameters, the child parses the command line, and the test compares what happened.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "check.h"

/* Exit status of a child whose doca_argp_start returned: this plus the code. */
#define RETURNED 64

static char out[16384], err[16384], trace[4096];
static FILE *trace_file;

static void read_back(FILE *file, char *text, size_t size)
{
	size_t n;

	rewind(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
}

/* The setup of a program that does not initialize the parser. */
static void nothing(void)
{
}

/* Runs setup and doca_argp_start(argv) in a child; returns its exit status. */
static int run(void (*setup)(void), char **argv)
{
	FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
	int argc = 0, status = -1;
	pid_t child;

	while (argv[argc] != NULL)
		argc++;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		doca_error_t result;

		dup2(fileno(files[0]), STDOUT_FILENO);
		dup2(fileno(files[1]), STDERR_FILENO);
		trace_file = files[2];
		check_failures = 0;
		setup();
		result = doca_argp_start(argc, argv);
		CHECK_CODE(doca_argp_destroy(), setup == nothing ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS);
		fflush(trace_file);
		exit(check_failures != 0 ? 1 : RETURNED + (int)result);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	read_back(files[0], out, sizeof(out));
	read_back(files[1], err, sizeof(err));
	read_back(files[2], trace, sizeof(trace));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define RUN(setup, ...) run(setup, (char *[]){(char[]){"/some/where/prog"}, ##__VA_ARGS__, NULL})

#define EXPECT(status, code, events)                                                                       \
	do {                                                                                               \
		int expect_status_ = (status);                                                             \
		check_count++;                                                                             \
		if (expect_status_ != RETURNED + (int)(code) || strcmp(trace, (events)) != 0) {            \
			check_failures++;                                                                  \
			fprintf(stderr, "%s:%d: exit status %d (not %d), events \"%s\" (not \"%s\")\n%s\n", \
				__FILE__, __LINE__, expect_status_, RETURNED + (int)(code), trace,         \
				(events), err);                                                            \
		}                                                                                          \
	} while (0)

#define EXPECT_EXIT(status, events)                                                                        \
	do {                                                                                               \
		int expect_exit_ = (status);                                                               \
		CHECK(expect_exit_ == 0);                                                                  \
		CHECK(strcmp(trace, (events)) == 0);                                                       \
	} while (0)

/* ---- Callbacks: they leave a word in the trace ---- */

static int config;

static void note(const char *name, const char *value, void *cfg)
{
	fprintf(trace_file, "%s=%s%s;", name, value, cfg == &config ? "" : "(wrong config)");
}

static doca_error_t on_string(void *value, void *cfg)
{
	note("s", value, cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_text(void *value, void *cfg)
{
	note("t", value, cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_int(void *value, void *cfg)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", *(int *)value);
	note("n", text, cfg);
	return *(int *)value == 666 ? DOCA_ERROR_IN_USE : DOCA_SUCCESS;
}

static doca_error_t on_bool(void *value, void *cfg)
{
	note("b", *(bool *)value ? "true" : "false", cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_object(void *value, void *cfg)
{
	note("o", value != NULL ? "object" : "null", cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_validate(void *cfg)
{
	note("validate", "", cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_validate_fails(void *cfg)
{
	note("validate", "", cfg);
	return DOCA_ERROR_BAD_CONFIG;
}

static doca_error_t on_list(void *cfg)
{
	note("list", "", cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_deep(void *cfg)
{
	note("deep", "", cfg);
	return DOCA_SUCCESS;
}

static doca_error_t on_broken(void *cfg)
{
	note("broken", "", cfg);
	return DOCA_ERROR_SHUTDOWN;
}

static struct doca_argp_param *make(const char *short_name, const char *long_name, enum doca_argp_type type,
				    doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param = NULL;

	CHECK_OK(doca_argp_param_create(&param));
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, "Describes it");
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_callback(param, callback);
	return param;
}

/* ---- Setups ---- */

static void only_init(void)
{
	CHECK_OK(doca_argp_init("prog", &config));
}

static void plain(void)
{
	struct doca_argp_param *param;

	only_init();
	param = make("p", "pci-addr", DOCA_ARGP_TYPE_STRING, on_string);
	doca_argp_param_set_arguments(param, "<address>");
	CHECK_OK(doca_argp_register_param(param));
	CHECK_OK(doca_argp_register_param(make("ns", "num-src", DOCA_ARGP_TYPE_INT, on_int)));
	CHECK_OK(doca_argp_register_param(make("b", NULL, DOCA_ARGP_TYPE_BOOLEAN, on_bool)));
	param = make("t", "text", DOCA_ARGP_TYPE_STRING, on_text);
	doca_argp_param_set_multiplicity(param);
	CHECK_OK(doca_argp_register_param(param));
	param = make(NULL, "secret", DOCA_ARGP_TYPE_BOOLEAN, on_bool);
	doca_argp_param_set_hidden(param);
	CHECK_OK(doca_argp_register_param(param));
}

static void with_logs(void)
{
	struct doca_log_backend *backend;

	plain();
	CHECK_OK(doca_log_backend_create_standard());
	CHECK_OK(doca_log_backend_create_with_file_sdk(stderr, &backend));
}

static void with_mandatory(void)
{
	struct doca_argp_param *param;

	plain();
	param = make("m", "must", DOCA_ARGP_TYPE_INT, on_int);
	doca_argp_param_set_mandatory(param);
	CHECK_OK(doca_argp_register_param(param));
}

static void with_singular(void)
{
	struct doca_argp_param *param;

	with_mandatory();
	param = make(NULL, "alone", DOCA_ARGP_TYPE_BOOLEAN, on_bool);
	doca_argp_param_set_singular(param);
	CHECK_OK(doca_argp_register_param(param));
}

static void with_validation(void)
{
	plain();
	CHECK_OK(doca_argp_register_validation_callback(on_validate));
}

static void with_failing_validation(void)
{
	plain();
	CHECK_OK(doca_argp_register_validation_callback(on_validate_fails));
}

/* ---- Cases ---- */

static void test_words(void)
{
	EXPECT(RUN(plain), DOCA_SUCCESS, "");
	EXPECT(RUN(plain, "-p", "03:00.0", "-ns", "4", "-b"), DOCA_SUCCESS, "s=03:00.0;n=4;b=true;");
	EXPECT(RUN(plain, "--num-src", "4", "--pci-addr", "x"), DOCA_SUCCESS, "n=4;s=x;");
	EXPECT(RUN(plain, "--num-src", "0x10"), DOCA_SUCCESS, "n=16;");
	EXPECT(RUN(plain, "-ns", "-7"), DOCA_SUCCESS, "n=-7;");
	EXPECT(RUN(plain, "-p", "-b"), DOCA_SUCCESS, "s=-b;");
	EXPECT(RUN(plain, "-p", ""), DOCA_SUCCESS, "s=;");
	EXPECT(RUN(plain, "-t", "a", "--text", "b", "-t", "c"), DOCA_SUCCESS, "t=a;t=b;t=c;");
	EXPECT(RUN(plain, "--secret"), DOCA_SUCCESS, "b=true;");

	EXPECT(RUN(plain, "-ns", "four"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(plain, "-ns", "4x"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(plain, "-ns", ""), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(plain, "-ns", "2147483648"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(plain, "-ns", "99999999999999999999"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(plain, "-p"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(plain, "-p", "1", "-p", "2"), DOCA_ERROR_INVALID_VALUE, "s=1;");
	EXPECT(RUN(plain, "-p", "1", "-ns", "3", "--pci-addr", "2"), DOCA_ERROR_INVALID_VALUE, "s=1;n=3;");

	EXPECT(RUN(plain, "--what"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(plain, "-w"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(plain, "stray"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(plain, "-b", "true"), DOCA_ERROR_NOT_SUPPORTED, "b=true;");
	EXPECT(RUN(plain, "--pci-addr=1"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(plain, "-pci-addr", "1"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(plain, "--p", "1"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(plain, "--"), DOCA_ERROR_NOT_SUPPORTED, "");

	/* Callbacks run in the order of the words, up to the one that fails. */
	EXPECT(RUN(plain, "-p", "1", "--what", "-ns", "2"), DOCA_ERROR_NOT_SUPPORTED, "s=1;");
	EXPECT(RUN(plain, "-p", "1", "-ns", "x"), DOCA_ERROR_INVALID_VALUE, "s=1;");
	EXPECT(RUN(plain, "-ns", "666", "-p", "1"), DOCA_ERROR_IN_USE, "n=666;");
	EXPECT(RUN(plain, "-t", "3", "-p", "1", "-t", "4"), DOCA_SUCCESS, "t=3;s=1;t=4;");
	EXPECT(RUN(plain, "-b", "-p", "1", "-l", "99"), DOCA_ERROR_INVALID_VALUE, "b=true;s=1;");
	EXPECT(RUN(plain, "-b", "-ns"), DOCA_ERROR_INVALID_VALUE, "b=true;");
	EXPECT(RUN(plain, "-p", "1", "-x", "-b"), DOCA_ERROR_NOT_SUPPORTED, "s=1;");
	EXPECT(RUN(plain, "-p", "1", "--json", "/does/not/exist"), DOCA_ERROR_INVALID_VALUE, "s=1;");
	EXPECT(RUN(plain, "--json=/does/not/exist"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(with_mandatory, "-p", "1", "-x"), DOCA_ERROR_NOT_SUPPORTED, "s=1;");

	EXPECT(RUN(with_mandatory), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_mandatory, "-p", "1"), DOCA_ERROR_INVALID_VALUE, "s=1;");
	EXPECT(RUN(with_mandatory, "-m", "1"), DOCA_SUCCESS, "n=1;");
	EXPECT(RUN(with_singular, "--alone"), DOCA_SUCCESS, "b=true;");
	EXPECT(RUN(with_singular, "--alone", "-m", "1"), DOCA_ERROR_INVALID_VALUE, "b=true;");
	EXPECT(RUN(with_singular, "-m", "1", "--alone"), DOCA_ERROR_INVALID_VALUE, "n=1;");
	EXPECT(RUN(with_singular, "-m", "1"), DOCA_SUCCESS, "n=1;");

	EXPECT(RUN(with_validation, "-ns", "1", "-p", "2"), DOCA_SUCCESS, "n=1;s=2;validate=;");
	EXPECT(RUN(with_validation, "-ns", "x"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_failing_validation, "-p", "2"), DOCA_ERROR_BAD_CONFIG, "s=2;validate=;");
}

static int count_lines(const char *text, const char *needle)
{
	int n = 0;

	for (; (text = strstr(text, needle)) != NULL; text++)
		n++;
	return n;
}

/* An error in the words: one log line, the message alone, the usage text, in this order, all on stderr. */
static void check_complaint(const char *message)
{
	char line[512];
	const char *log, *alone, *usage;

	CHECK(strcmp(out, "") == 0);
	snprintf(line, sizeof(line), "] %s\n", message);
	log = strstr(err, line);
	snprintf(line, sizeof(line), "\n%s\n", message);
	alone = strstr(err, line);
	usage = strstr(err, "\n\nUsage: prog [DOCA Flags] [Program Flags]\n\nDOCA Flags:\n  -h, --help ");
	CHECK(err[0] == '[' && strstr(err, "][DOCA][ERR][") != NULL);
	CHECK(log != NULL && alone != NULL && usage != NULL && log < alone && alone < usage);
	CHECK(count_lines(err, "Usage:") == 1 && count_lines(err, "][ERR][") == 1);
}

static void test_complaints(void)
{
	EXPECT(RUN(with_logs, "--what"), DOCA_ERROR_NOT_SUPPORTED, "");
	check_complaint("Unknown flag: --what");
	EXPECT(RUN(with_logs, "stray"), DOCA_ERROR_NOT_SUPPORTED, "");
	check_complaint("Unexpected word: stray");
	EXPECT(RUN(with_logs, "-ns", "x"), DOCA_ERROR_INVALID_VALUE, "");
	check_complaint("Parameter -ns/--num-src needs a number, not \"x\"");
	EXPECT(RUN(with_logs, "-b", "-b"), DOCA_ERROR_INVALID_VALUE, "b=true;");
	check_complaint("Parameter -b is given more than once");
	EXPECT(RUN(with_logs, "--num-src"), DOCA_ERROR_INVALID_VALUE, "");
	check_complaint("Parameter -ns/--num-src needs a value");
	EXPECT(RUN(with_logs, "-ns", "666"), DOCA_ERROR_IN_USE, "n=666;");
	CHECK(strstr(err, "[ERR]") != NULL && strstr(err, "Usage:") == NULL);
}

/* The column, counted from 0, where text begins in its line of the output. */
static long column(const char *text)
{
	const char *found = strstr(out, text), *line = found;

	if (found == NULL)
		return -1;
	while (line > out && line[-1] != '\n')
		line--;
	return (long)(found - line);
}

static void test_help(void)
{
	const char *doca, *program;

	EXPECT_EXIT(RUN(plain, "-h"), "");
	CHECK(strncmp(out, "\nUsage: prog [DOCA Flags] [Program Flags]\n", 42) == 0);
	doca = strstr(out, "\nDOCA Flags:\n");
	program = strstr(out, "\nProgram Flags:\n");
	CHECK(doca != NULL && program != NULL && doca < program);
	CHECK(strstr(out, "\n  -h, --help ") > doca && strstr(out, "\n  -h, --help ") < program);
	CHECK(strstr(out, "\n  -v, --version ") > doca && strstr(out, "\n  -v, --version ") < program);
	CHECK(strstr(out, "\n  -l, --log-level ") > doca && strstr(out, "\n  -l, --log-level ") < program);
	CHECK(strstr(out, "\n  --sdk-log-level ") > doca && strstr(out, "\n  --sdk-log-level ") < program);
	CHECK(strstr(out, "\n  -j, --json <path> ") > doca && strstr(out, "\n  -j, --json <path> ") < program);
	CHECK(strstr(out, "\n  -p, --pci-addr <address> ") > program);
	CHECK(strstr(out, "\n  -b ") > program);
	CHECK(strstr(out, "secret") == NULL);
	CHECK(column("Describes it") == 36);
	CHECK(column("Take all flags from a JSON file") == 36);
	CHECK(strcmp(err, "") == 0);

	EXPECT_EXIT(RUN(plain, "-p", "1", "--help", "-ns", "bad"), "s=1;");
	EXPECT_EXIT(RUN(with_mandatory, "--help"), "");
	EXPECT_EXIT(RUN(with_mandatory, "-v"), "");
	CHECK(strcmp(out, "DOCA Version: 3.0.0058\n") == 0);
	EXPECT_EXIT(RUN(plain, "--version"), "");
}

static void without_name(void)
{
	CHECK_OK(doca_argp_init(NULL, &config));
}

static void with_long_entry(void)
{
	only_init();
	CHECK_OK(doca_argp_register_param(make("x", "a-name-that-reaches-beyond-the-column", DOCA_ARGP_TYPE_BOOLEAN,
					       on_bool)));
}

static void with_usage(void)
{
	plain();
	doca_argp_usage();
}

static void test_usage(void)
{
	EXPECT_EXIT(RUN(without_name, "-h"), "");
	CHECK(strncmp(out, "\nUsage: prog [", 14) == 0);
	EXPECT_EXIT(RUN(with_long_entry, "-h"), "");
	CHECK(strstr(out, "\n  -x, --a-name-that-reaches-beyond-the-column Describes it\n") != NULL);
	EXPECT(RUN(with_usage), DOCA_SUCCESS, "");
	CHECK(strstr(out, "Usage: prog [DOCA Flags] [Program Flags]\n") != NULL);
}

static doca_error_t on_version(void *value, void *cfg)
{
	(void)value;
	note("version", "", cfg);
	fflush(trace_file);
	printf("mine\n");
	return DOCA_SUCCESS;
}

static doca_error_t on_version_fails(void *value, void *cfg)
{
	(void)value;
	note("version", "", cfg);
	return DOCA_ERROR_DRIVER;
}

static void with_version(void)
{
	plain();
	CHECK_CODE(doca_argp_register_version_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_argp_register_version_callback(on_version));
}

static void with_failing_version(void)
{
	plain();
	CHECK_OK(doca_argp_register_version_callback(on_version_fails));
}

static doca_error_t on_log(enum doca_log_level level, const char *format, va_list args)
{
	fprintf(trace_file, "log %d ", (int)level);
	vfprintf(trace_file, format, args);
	fputc(';', trace_file);
	return DOCA_SUCCESS;
}

static void with_logger(void)
{
	with_logs();
	CHECK_CODE(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_logger_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_argp_register_logger_callback(on_log));
	CHECK_CODE(doca_argp_register_logger_callback(on_log), DOCA_ERROR_ALREADY_EXIST);
}

static void with_disabled_logger(void)
{
	with_logger();
	CHECK_OK(doca_argp_disable_logger_callback());
}

static void test_callbacks(void)
{
	EXPECT_EXIT(RUN(with_version, "-v"), "version=;");
	CHECK(strcmp(out, "mine\n") == 0);
	EXPECT(RUN(with_failing_version, "-v"), DOCA_ERROR_DRIVER, "version=;");
	EXPECT(RUN(with_logger, "--what"), DOCA_ERROR_NOT_SUPPORTED, "log 30 Unknown flag: --what;");
	CHECK(strstr(err, "Unknown flag") == NULL && strstr(err, "Usage:") != NULL);
	EXPECT(RUN(with_disabled_logger, "--what"), DOCA_ERROR_NOT_SUPPORTED, "");
	check_complaint("Unknown flag: --what");
}

static doca_error_t on_levels(void *cfg)
{
	int program = 0, sdk = 0;

	CHECK_OK(doca_argp_get_log_level(&program));
	CHECK_OK(doca_argp_get_sdk_log_level(&sdk));
	CHECK(doca_log_level_get_global_lower_limit() == (uint32_t)program);
	CHECK(doca_log_level_get_global_sdk_limit() == (uint32_t)sdk);
	CHECK_CODE(doca_argp_get_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_get_sdk_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	fprintf(trace_file, "%d/%d;", program, sdk);
	return cfg == &config ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

static void with_levels(void)
{
	only_init();
	CHECK_OK(doca_argp_register_validation_callback(on_levels));
}

static void test_levels(void)
{
	char *levels[] = {"10", "20", "30", "40", "50", "60", "70"};
	char expected[32];

	EXPECT(RUN(with_levels), DOCA_SUCCESS, "50/50;");
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		snprintf(expected, sizeof(expected), "%s/50;", levels[i]);
		EXPECT(RUN(with_levels, "-l", levels[i]), DOCA_SUCCESS, expected);
		snprintf(expected, sizeof(expected), "50/%s;", levels[i]);
		EXPECT(RUN(with_levels, "--sdk-log-level", levels[i]), DOCA_SUCCESS, expected);
	}
	EXPECT(RUN(with_levels, "--log-level", "60", "--sdk-log-level", "40"), DOCA_SUCCESS, "60/40;");
	EXPECT(RUN(with_levels, "-l", "0"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "-l", "55"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "-l", "80"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "-l", "-10"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "-l", "debug"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "--sdk-log-level", "45"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "-l", "50", "-l", "50"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_levels, "-l", "99"), DOCA_ERROR_INVALID_VALUE, "");
}

/* ---- Life cycle and registration ---- */

/* A second call changes nothing. */
static void init_twice(void)
{
	static int other;

	with_logs();
	CHECK_CODE(doca_argp_init("other", &other), DOCA_ERROR_BAD_STATE);
}

static void init_again(void)
{
	plain();
	CHECK_OK(doca_argp_destroy());
	CHECK_CODE(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	plain();
}

static void test_life_cycle(void)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd;

	EXPECT(RUN(nothing), DOCA_ERROR_BAD_STATE, "");
	EXPECT(RUN(nothing, "-h"), DOCA_ERROR_BAD_STATE, "");
	EXPECT(RUN(nothing, "-l", "50"), DOCA_ERROR_BAD_STATE, "");
	EXPECT(RUN(init_twice, "-p", "1"), DOCA_SUCCESS, "s=1;");
	CHECK(strstr(err, "][ERR]") != NULL && strstr(err, "initialized already") != NULL);
	EXPECT(RUN(init_twice, "-x"), DOCA_ERROR_NOT_SUPPORTED, "");
	CHECK(strstr(err, "Usage: prog [") != NULL);
	EXPECT(RUN(init_again, "-p", "1"), DOCA_SUCCESS, "s=1;");

	CHECK_CODE(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_cmd_create(&cmd), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_param(NULL), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_cmd(NULL), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_version_callback(on_version), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_validation_callback(on_validate), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_logger_callback(on_log), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);

	CHECK_OK(doca_argp_init("prog", NULL));
	CHECK_CODE(doca_argp_start(-1, NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_start(1, NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_argp_start(0, NULL));
	CHECK_OK(doca_argp_destroy());
	CHECK_CODE(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
}

static void with_space(void)
{
	only_init();
	CHECK_OK(doca_argp_register_param(make("fs", "file size", DOCA_ARGP_TYPE_INT, on_int)));
}

static void test_registration(void)
{
	static char long_name[150];
	struct doca_argp_param *param;

	EXPECT(RUN(with_space, "-fs", "3"), DOCA_SUCCESS, "n=3;");
	EXPECT(RUN(with_space, "--file size", "4"), DOCA_SUCCESS, "n=4;");

	only_init();
	CHECK_CODE(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_param_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_validation_callback(NULL), DOCA_ERROR_INVALID_VALUE);

	param = make("p", "pci", DOCA_ARGP_TYPE_STRING, on_string);
	CHECK_OK(doca_argp_register_param(param));
	CHECK_CODE(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_argp_param_destroy(make("q", "qci", DOCA_ARGP_TYPE_STRING, on_string)));

	/* A refused parameter no longer exists: the library takes it over whatever the result is. */
	CHECK_CODE(doca_argp_register_param(make("p", "other", DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make("o", "pci", DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make("h", "host", DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make(NULL, "json", DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make("-x", NULL, DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make(NULL, "-long", DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make(NULL, NULL, DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make("", "", DOCA_ARGP_TYPE_INT, on_int)), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_param(make("x", NULL, DOCA_ARGP_TYPE_UNKNOWN, on_int)),
		   DOCA_ERROR_INITIALIZATION);
	CHECK_CODE(doca_argp_register_param(make("x", NULL, DOCA_ARGP_TYPE_INT, NULL)),
		   DOCA_ERROR_INITIALIZATION);
	param = make("x", NULL, DOCA_ARGP_TYPE_INT, on_int);
	doca_argp_param_set_description(param, NULL);
	CHECK_CODE(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
	CHECK_OK(doca_argp_register_param(make("x", NULL, DOCA_ARGP_TYPE_INT, on_int)));

	/* Odd, but accepted. */
	memset(long_name, 'a', sizeof(long_name) - 1);
	CHECK_OK(doca_argp_register_param(make("several", long_name, DOCA_ARGP_TYPE_INT, on_int)));
	CHECK_OK(doca_argp_register_param(make("", "no-short", DOCA_ARGP_TYPE_INT, on_int)));
	CHECK_OK(doca_argp_register_param(make("", "no-short-either", DOCA_ARGP_TYPE_INT, on_int)));
	CHECK_OK(doca_argp_register_param(make(NULL, "file size", DOCA_ARGP_TYPE_INT, on_int)));
	param = make("e", NULL, DOCA_ARGP_TYPE_INT, on_int);
	doca_argp_param_set_description(param, "");
	CHECK_OK(doca_argp_register_param(param));
	CHECK_OK(doca_argp_destroy());
}

/* ---- Commands ---- */

static struct doca_argp_cmd *make_cmd(const char *name, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd = NULL;

	CHECK_OK(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_name(cmd, name);
	doca_argp_cmd_set_description(cmd, "Does something");
	doca_argp_cmd_set_callback(cmd, callback);
	return cmd;
}

/* prog [-o] [-i, inherited]: list [-n, mandatory] [-d, inherited]: deep [-t]; broken; ghost, hidden */
static void with_commands(void)
{
	struct doca_argp_cmd *list, *deep, *ghost;
	struct doca_argp_param *param;

	only_init();
	CHECK_OK(doca_argp_register_param(make("o", "own", DOCA_ARGP_TYPE_STRING, on_string)));
	param = make("i", "inherited", DOCA_ARGP_TYPE_STRING, on_string);
	doca_argp_param_set_inherited(param);
	CHECK_OK(doca_argp_register_param(param));

	list = make_cmd("list", on_list);
	param = make("n", "number", DOCA_ARGP_TYPE_INT, on_int);
	doca_argp_param_set_mandatory(param);
	CHECK_OK(doca_argp_cmd_register_param(list, param));
	param = make("d", "down", DOCA_ARGP_TYPE_STRING, on_string);
	doca_argp_param_set_inherited(param);
	CHECK_OK(doca_argp_cmd_register_param(list, param));
	CHECK_CODE(doca_argp_cmd_register_param(list, make("n", NULL, DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);

	deep = make_cmd("deep", on_deep);
	CHECK_OK(doca_argp_cmd_register_param(deep, make("t", "text", DOCA_ARGP_TYPE_STRING, on_text)));
	CHECK_OK(doca_argp_cmd_register_cmd(list, deep));
	CHECK_OK(doca_argp_register_cmd(list));
	CHECK_OK(doca_argp_register_cmd(make_cmd("broken", on_broken)));
	ghost = make_cmd("ghost", on_list);
	doca_argp_cmd_set_hidden(ghost);
	CHECK_OK(doca_argp_register_cmd(ghost));

	CHECK_CODE(doca_argp_cmd_destroy(list), DOCA_ERROR_BAD_STATE);
	CHECK_CODE(doca_argp_cmd_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_cmd(NULL), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_cmd_register_cmd(NULL, make_cmd("x", on_list)), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_cmd_register_param(NULL, make("z", NULL, DOCA_ARGP_TYPE_INT, on_int)),
		   DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_cmd_register_cmd(deep, list), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_cmd(list), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_cmd(make_cmd("list", on_list)), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_cmd(make_cmd("-list", on_list)), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_argp_register_cmd(make_cmd(NULL, on_list)), DOCA_ERROR_INITIALIZATION);
	CHECK_CODE(doca_argp_register_cmd(make_cmd("x", NULL)), DOCA_ERROR_INITIALIZATION);
	CHECK_OK(doca_argp_cmd_destroy(make_cmd("x", on_list)));
}

static void test_commands(void)
{
	EXPECT(RUN(with_commands), DOCA_SUCCESS, "");
	EXPECT(RUN(with_commands, "-o", "1", "list", "-n", "2"), DOCA_SUCCESS, "s=1;list=;n=2;");
	EXPECT(RUN(with_commands, "list", "-n", "2", "-i", "3", "-l", "50"), DOCA_SUCCESS, "list=;n=2;s=3;");
	EXPECT(RUN(with_commands, "list", "-n", "2", "-o", "3"), DOCA_ERROR_NOT_SUPPORTED, "list=;n=2;");
	EXPECT(RUN(with_commands, "-n", "2"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(with_commands, "list"), DOCA_ERROR_INVALID_VALUE, "list=;");
	EXPECT(RUN(with_commands, "list", "-n", "1", "deep", "-d", "2", "-i", "3", "-t", "4"), DOCA_SUCCESS,
	       "list=;n=1;deep=;s=2;s=3;t=4;");
	EXPECT(RUN(with_commands, "list", "-n", "1", "deep", "-n", "2"), DOCA_ERROR_NOT_SUPPORTED,
	       "list=;n=1;deep=;");
	EXPECT(RUN(with_commands, "list", "-i", "1", "-n", "1", "deep", "-i", "3"), DOCA_ERROR_INVALID_VALUE,
	       "list=;s=1;n=1;deep=;");
	EXPECT(RUN(with_commands, "broken", "-i", "1"), DOCA_ERROR_SHUTDOWN, "broken=;");
	EXPECT(RUN(with_commands, "ghost"), DOCA_SUCCESS, "list=;");
	EXPECT(RUN(with_commands, "deep"), DOCA_ERROR_NOT_SUPPORTED, "");
	CHECK(strstr(err, "Unknown command: deep\n") != NULL);
	EXPECT(RUN(with_commands, "-o", "list"), DOCA_SUCCESS, "s=list;");

	EXPECT_EXIT(RUN(with_commands, "-h"), "");
	CHECK(strstr(out, "Usage: prog [DOCA Flags] [Program Flags] <command>\n") != NULL);
	CHECK(strstr(out, "\nCommands:\n  list ") != NULL && column("Does something") == 36);
	CHECK(strstr(out, "ghost") == NULL && strstr(out, "--number") == NULL);
	EXPECT_EXIT(RUN(with_commands, "list", "-n", "1", "deep", "-h"), "list=;n=1;deep=;");
	CHECK(strstr(out, "Usage: prog list deep [DOCA Flags] [Program Flags]\n") != NULL);
	CHECK(strstr(out, "--text") != NULL && strstr(out, "--down") != NULL);
	CHECK(strstr(out, "--inherited") != NULL && strstr(out, "--own") == NULL);
	CHECK(strstr(out, "--number") == NULL && strstr(out, "Commands:") == NULL);
}

/* ---- JSON ---- */

static char json_path[] = "/tmp/argp_test.XXXXXX";

static char *json(const char *text)
{
	FILE *file = fopen(json_path, "w");

	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
	return json_path;
}

static void with_json(void)
{
	struct doca_argp_param *param;

	with_validation();
	param = make("c", "cli", DOCA_ARGP_TYPE_STRING, on_string);
	doca_argp_param_set_cli_only(param);
	CHECK_OK(doca_argp_register_param(param));
	CHECK_OK(doca_argp_register_param(make(NULL, "flag", DOCA_ARGP_TYPE_BOOLEAN, on_bool)));
	CHECK_OK(doca_argp_register_param(make(NULL, "object", DOCA_ARGP_TYPE_JSON_OBJ, on_object)));
	param = make(NULL, "single", DOCA_ARGP_TYPE_INT, on_int);
	doca_argp_param_set_singular(param);
	CHECK_OK(doca_argp_register_param(param));
}

static void test_json(void)
{
	static const struct {
		const char *text;
		doca_error_t result;
		const char *events;
	} cases[] = {
		{"{}", DOCA_SUCCESS, "validate=;"},
		{"{\"doca_program_flags\": {\"pci-addr\": \"x\", \"num-src\": 3, \"flag\": true}}", DOCA_SUCCESS,
		 "s=x;n=3;b=true;validate=;"},
		{"{\"doca_program_flags\": {\"flag\": false}}", DOCA_SUCCESS, "b=false;validate=;"},
		{"{\n// a comment\n\"doca_program_flags\": {\"num-src\": -3}}", DOCA_SUCCESS, "n=-3;validate=;"},
		{"/* one,\n{ two */ {\"doca_program_flags\": {/**/\"pci-addr\": \"//x/*y*/\" // last\n}}", DOCA_SUCCESS,
		 "s=//x/*y*/;validate=;"},
		{"{\"doca_program_flags\": {\"text\": [\"a\", \"b\"]}}", DOCA_SUCCESS, "t=a;t=b;validate=;"},
		{"{\"doca_program_flags\": {\"text\": \"a\"}}", DOCA_SUCCESS, "t=a;validate=;"},
		{"{\"doca_program_flags\": {\"object\": {\"a\": 1}}}", DOCA_SUCCESS, "o=object;validate=;"},
		{"{\"doca_program_flags\": {\"single\": 1}}", DOCA_SUCCESS, "n=1;validate=;"},
		{"{\"doca_program_flags\": {\"single\": 1, \"flag\": true}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"text\": [\"a\", 1]}}", DOCA_ERROR_INVALID_VALUE, "t=a;"},
		{"{\"doca_program_flags\": {\"num-src\": \"3\"}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"num-src\": 3.5}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"num-src\": 4294967296}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"num-src\": [3]}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"pci-addr\": 3}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"pci-addr\": null}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"flag\": 1}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_program_flags\": {\"num-src\": 666, \"flag\": true}}", DOCA_ERROR_IN_USE, "n=666;"},
		{"{\"doca_program_flags\": {\"what\": 1}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"doca_program_flags\": {\"p\": \"x\"}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"doca_program_flags\": {\"cli\": \"x\"}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"doca_program_flags\": {\"log-level\": 60}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"doca_program_flags\": []}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_general_flags\": {\"what\": 60}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"doca_general_flags\": {\"json\": \"x\"}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"doca_general_flags\": {\"log-level\": 55}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_general_flags\": {\"log-level\": \"60\"}}", DOCA_ERROR_INVALID_VALUE, ""},
		{"{\"doca_dpdk_flags\": {}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"{\"other\": {}}", DOCA_ERROR_NOT_SUPPORTED, ""},
		{"[]", DOCA_ERROR_IO_FAILED, ""},
		{"{\"doca_program_flags\": ", DOCA_ERROR_IO_FAILED, ""},
		{"", DOCA_ERROR_IO_FAILED, ""},
	};
	char *path;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		path = json(cases[i].text);
		EXPECT(RUN(with_json, "--json", path), cases[i].result, cases[i].events);
	}
	path = json("{\"doca_general_flags\": {\"log-level\": 60, \"sdk-log-level\": 20}}");
	EXPECT(RUN(with_levels, "-j", path), DOCA_SUCCESS, "60/20;");
	EXPECT(RUN(with_json, "-j", path, "-l", "60"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_json, "-p", "1", "-j", path), DOCA_ERROR_INVALID_VALUE, "s=1;");
	EXPECT(RUN(with_json, "-j", path, "stray"), DOCA_ERROR_INVALID_VALUE, "");
	EXPECT(RUN(with_json, "-j", "/does/not/exist"), DOCA_ERROR_IO_FAILED, "");
	CHECK(strstr(err, "/does/not/exist") != NULL);
	EXPECT(RUN(with_json, "-j"), DOCA_ERROR_INVALID_VALUE, "");

	path = json("{\"doca_program_flags\": {\"must\": 1}}");
	EXPECT(RUN(with_mandatory, "-j", path), DOCA_SUCCESS, "n=1;");
	path = json("{\"doca_program_flags\": {\"pci-addr\": \"1\"}}");
	EXPECT(RUN(with_mandatory, "-j", path), DOCA_ERROR_INVALID_VALUE, "s=1;");
	path = json("{\"doca_program_flags\": {\"number\": 1, \"inherited\": \"2\"}}");
	EXPECT(RUN(with_commands, "list", "--json", path), DOCA_SUCCESS, "list=;n=1;s=2;");
	path = json("{\"doca_program_flags\": {\"number\": 1, \"own\": \"2\"}}");
	EXPECT(RUN(with_commands, "list", "--json", path), DOCA_ERROR_NOT_SUPPORTED, "list=;n=1;");
}

/* ---- DPDK ---- */

static doca_error_t on_dpdk(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		fprintf(trace_file, "%s%s", i > 0 ? "," : "dpdk:", argv[i]);
	fputc(';', trace_file);
	return argc > 1 && strcmp(argv[1], "fail") == 0 ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

static void with_dpdk(void)
{
	with_json();
	doca_argp_set_dpdk_program(on_dpdk);
}

#define PROG "/some/where/prog"

static void test_dpdk(void)
{
	char *path;

	EXPECT(RUN(with_dpdk, "-a", "03:00.0", "-l", "0-3", "--", "-l", "60", "-p", "1"), DOCA_SUCCESS,
	       "s=1;dpdk:" PROG ",-a,03:00.0,-l,0-3;validate=;");
	EXPECT(RUN(with_dpdk, "--", "-p", "1"), DOCA_SUCCESS, "s=1;dpdk:" PROG ";validate=;");
	EXPECT(RUN(with_dpdk, "-a", "1", "--"), DOCA_SUCCESS, "dpdk:" PROG ",-a,1;validate=;");
	EXPECT(RUN(with_dpdk, "-a", "1"), DOCA_SUCCESS, "dpdk:" PROG ",-a,1;validate=;");
	EXPECT(RUN(with_dpdk), DOCA_SUCCESS, "dpdk:" PROG ";validate=;");
	EXPECT(RUN(with_dpdk, "-a", "1", "--", "-x"), DOCA_ERROR_NOT_SUPPORTED, "");
	EXPECT(RUN(with_dpdk, "fail", "--"), DOCA_ERROR_NO_MEMORY, "dpdk:" PROG ",fail;");
	EXPECT_EXIT(RUN(with_dpdk, "-h"), "");
	CHECK(strstr(out, "Usage: prog [DPDK Flags] -- [DOCA Flags] [Program Flags]\n") != NULL);
	EXPECT_EXIT(RUN(with_dpdk, "-a", "1", "--", "-h"), "");

	path = json("{\"doca_dpdk_flags\": {\"devices\": [{\"device\": \"pf\", \"id\": \"03:00.0\"},"
		    "{\"device\": \"sf\", \"id\": \"4\", \"hws\": true}],"
		    "\"core-mask\": \"0xff\", \"flags\": \" -n  4 --iova=va \", \"object\": {}},"
		    "\"doca_program_flags\": {\"num-src\": 1}}");
	EXPECT(RUN(with_dpdk, "--json", path), DOCA_SUCCESS,
	       "o=object;n=1;dpdk:prog,-a,03:00.0,-a,auxiliary:mlx5_core.sf.4,dv_flow_en=2,-c,0xff,-n,4,--iova=va;"
	       "validate=;");
	path = json("{\"doca_dpdk_flags\": {\"what\": \"x\"}}");
	EXPECT(RUN(with_dpdk, "--json", path), DOCA_ERROR_NOT_SUPPORTED, "");
	path = json("{\"doca_dpdk_flags\": {\"core-mask\": null}}");
	EXPECT(RUN(with_dpdk, "--json", path), DOCA_ERROR_INVALID_VALUE, "");
	path = json("{\"doca_dpdk_flags\": {\"devices\": [{\"device\": null, \"id\": \"1\"}]}}");
	EXPECT(RUN(with_dpdk, "--json", path), DOCA_ERROR_INVALID_VALUE, "");
	path = json("{\"doca_dpdk_flags\": {\"devices\": {}}}");
	EXPECT(RUN(with_dpdk, "--json", path), DOCA_ERROR_INVALID_VALUE, "");
}

int main(void)
{
	int fd = mkstemp(json_path);

	CHECK(fd >= 0);
	close(fd);
	test_words();
	test_complaints();
	test_help();
	test_usage();
	test_callbacks();
	test_levels();
	test_life_cycle();
	test_registration();
	test_commands();
	test_json();
	test_dpdk();
	unlink(json_path);
	return check_done("argp_test");
}
