// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/conformance/internal/liar"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// oldCommon is a common library of 2.5 on a machine without a device, as far as cases ask it.
const oldCommon = `
const char *doca_version(void) { return "2.5.0108"; }
const char *doca_version_runtime(void) { return "2.5.0108"; }
int doca_devinfo_create_list(void *list, unsigned *n) { (void)list; (void)n; return 16; }
const char *doca_error_get_name(int code)
{
	static const char *const names[] = {
		"DOCA_SUCCESS", "DOCA_ERROR_UNKNOWN", "DOCA_ERROR_NOT_PERMITTED", "DOCA_ERROR_IN_USE", "DOCA_ERROR_NOT_SUPPORTED",
		"DOCA_ERROR_AGAIN", "DOCA_ERROR_INVALID_VALUE", "DOCA_ERROR_NO_MEMORY", "DOCA_ERROR_INITIALIZATION", "DOCA_ERROR_TIME_OUT",
		"DOCA_ERROR_SHUTDOWN", "DOCA_ERROR_CONNECTION_RESET", "DOCA_ERROR_CONNECTION_ABORTED", "DOCA_ERROR_CONNECTION_INPROGRESS",
		"DOCA_ERROR_NOT_CONNECTED", "DOCA_ERROR_NO_LOCK", "DOCA_ERROR_NOT_FOUND", "DOCA_ERROR_IO_FAILED", "DOCA_ERROR_BAD_STATE",
		"DOCA_ERROR_UNSUPPORTED_VERSION", "DOCA_ERROR_OPERATING_SYSTEM", "DOCA_ERROR_DRIVER", "DOCA_ERROR_UNEXPECTED",
		"DOCA_ERROR_ALREADY_EXIST", "DOCA_ERROR_FULL", "DOCA_ERROR_EMPTY", "DOCA_ERROR_IN_PROGRESS", "DOCA_ERROR_TOO_BIG",
	};
	return code >= 0 && code < 28 ? names[code] : "Unrecognized error code";
}
`

// oldArgp is the argument parser of 2.5. It reads and checks the whole command line, then it calls the program's callbacks in the order in
// which the parameters were registered.
const oldArgp = `
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 4, INVALID_VALUE = 6, INITIALIZATION = 8, TEXT = 1, INT = 2, BOOLEAN = 3, MOST = 64 };

struct param {
	const char *short_name, *long_name, *description;
	int type;
	bool mandatory, many;
	int (*callback)(void *, void *);
	char *values[MOST];
	int num_values;
};

static struct param *params[MOST];
static int num_params;

int doca_argp_init(const char *name, void *config) { (void)name; (void)config; num_params = 0; return SUCCESS; }
int doca_argp_destroy(void) { num_params = 0; return SUCCESS; }
int doca_argp_param_create(struct param **p) { *p = calloc(1, sizeof(**p)); return SUCCESS; }
void doca_argp_param_set_short_name(struct param *p, const char *s) { p->short_name = strdup(s); }
void doca_argp_param_set_long_name(struct param *p, const char *s) { p->long_name = strdup(s); }
void doca_argp_param_set_description(struct param *p, const char *s) { p->description = strdup(s); }
void doca_argp_param_set_type(struct param *p, int type) { p->type = type; }
void doca_argp_param_set_mandatory(struct param *p) { p->mandatory = true; }
void doca_argp_param_set_multiplicity(struct param *p) { p->many = true; }
void doca_argp_param_set_callback(struct param *p, int (*callback)(void *, void *)) { p->callback = callback; }

static bool same(const char *a, const char *b) { return a != NULL && b != NULL && strcmp(a, b) == 0; }

int doca_argp_register_param(struct param *p)
{
	static const char *const own[] = {"h", "help", "v", "version", "l", "log-level", "sdk-log-level", "j", "json"};

	if (p->description == NULL || (p->short_name == NULL && p->long_name == NULL))
		return INITIALIZATION;
	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (same(p->short_name, own[i]) || same(p->long_name, own[i]))
			return INVALID_VALUE;
	}
	for (int i = 0; i < num_params; i++) {
		if (same(p->short_name, params[i]->short_name) || same(p->long_name, params[i]->long_name))
			return INVALID_VALUE;
	}
	params[num_params++] = p;
	return SUCCESS;
}

static struct param *find(const char *word)
{
	for (int i = 0; i < num_params; i++) {
		if (strncmp(word, "--", 2) == 0 ? same(word + 2, params[i]->long_name) : word[0] == '-' && same(word + 1, params[i]->short_name))
			return params[i];
	}
	return NULL;
}

static int read_line(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct param *p = find(argv[i]);
		char *end, *value = NULL;

		if (same(argv[i], "-l") || same(argv[i], "--log-level")) {
			int level = ++i < argc ? atoi(argv[i]) : 0;

			if (level < 10 || level > 70 || level % 10 != 0)
				return INVALID_VALUE;
			continue;
		}
		if (p == NULL)
			return NOT_SUPPORTED;
		if (p->num_values > 0 && !p->many)
			return INVALID_VALUE;
		if (p->type != BOOLEAN) {
			if (++i == argc)
				return INVALID_VALUE;
			value = argv[i];
			if (p->type == INT && (strtol(value, &end, 0), *end != 0))
				return INVALID_VALUE;
		}
		p->values[p->num_values++] = value;
	}
	for (int i = 0; i < num_params; i++) {
		if (params[i]->mandatory && params[i]->num_values == 0)
			return INVALID_VALUE;
	}
	return SUCCESS;
}

int doca_argp_start(int argc, char **argv)
{
	int err = read_line(argc, argv);

	for (int i = 0; err == SUCCESS && i < num_params; i++) {
		for (int n = 0; err == SUCCESS && n < params[i]->num_values; n++) {
			char *text = params[i]->values[n];
			int number = params[i]->type == INT ? (int)strtol(text, NULL, 0) : 0;
			bool yes = true;

			err = params[i]->callback(params[i]->type == TEXT ? (void *)text : params[i]->type == INT ? (void *)&number : (void *)&yes, NULL);
		}
	}
	return err;
}
`

// runOnOldSDK runs a test of this binary on libraries of 2.5.
func runOnOldSDK(t *testing.T, test string) {
	t.Helper()
	dir := t.TempDir()
	for soname, text := range map[string]string{"libdoca_common.so.2": oldCommon, "libdoca_argp.so.2": oldArgp} {
		src := filepath.Join(dir, soname+".c")
		require.NoError(t, os.WriteFile(src, []byte(text), 0o600))
		out, err := exec.Command("gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wl,-soname,"+soname, "-o", filepath.Join(dir, soname), src).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	cmd := selfexec.Command(t, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), "DOCA_PROVIDER=sdk", "LD_LIBRARY_PATH="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// On an SDK of 2.5 without a device, what it is known to answer is known, and what cannot be asked is skipped with a reason.
func TestOldSDK(t *testing.T) {
	if os.Getenv("DOCA_PROVIDER") != "sdk" {
		t.Parallel()
		runOnOldSDK(t, t.Name())
		return
	}
	for _, isolate := range []bool{false, true} {
		report, err := Run(t.Context(), Options{Isolate: isolate})
		require.NoError(t, err)
		require.Len(t, report.Results, len(Cases()))
		assert.Equal(t, "2.5.0108", report.Version)
		assert.Contains(t, report.Path, "libdoca_common.so.2")
		assert.Contains(t, report.Device, "none: doca_devinfo_create_list: DOCA_ERROR_NOT_FOUND")
		status := map[string]Result{}
		for _, r := range report.Results {
			status[r.Name] = r
			if r.Status == Skipped {
				assert.NotEmpty(t, r.Reason, r.Name)
			}
		}
		// Just what is known of the release differs.
		var known []string
		for _, r := range report.Results {
			assert.NotContains(t, []Status{Differs, Timeout, Crashed}, r.Status, "%s: expected %s, got %s (%s)", r.Name, r.Expected, r.Got, r.Reason)
			if r.Status == Known {
				assert.Contains(t, r.Reason, "known of DOCA 2.5", r.Name)
				known = append(known, r.Name)
			}
		}
		assert.Equal(t, knownOf("2.5.0108", "argp", "error"), known)
		assert.Len(t, known, 14)
		for _, name := range []string{"error/names", "version/runtime", "devinfo/list", "argp/name-with-space", "argp/name-of-doca", "argp/callback-fails"} {
			assert.Equal(t, Passed, status[name].Status, "%s: %s", name, status[name].Reason)
		}
		assert.Contains(t, status["dma/copy"].Reason, "there is no device: doca_devinfo_create_list: DOCA_ERROR_NOT_FOUND")
		assert.Contains(t, status["mmap/start-without-range"].Reason, "doca_mmap_create: libdoca_common.so.2 of sdk 2.5.0108")
		assert.False(t, report.Failed())
	}
}

// knownOf returns the cases of these subjects that a release is known to answer otherwise.
func knownOf(version string, subjects ...string) []string {
	var names []string
	for _, c := range Cases() {
		subject, _, _ := strings.Cut(c.Name, "/")
		if slices.Contains(subjects, subject) && slices.ContainsFunc(c.Differences, func(d Difference) bool { return d.covers(version) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// On a common library that has the functions of 2.5 and answers as the emulator does, but for the names of its errors, and on a machine
// without a device, just these differ. The same of 2.10, which has all names, and of which a case for a later release is none.
func TestOldCommon(t *testing.T) {
	if !onLiar() {
		t.Parallel()
		runOnLiar(t, t.Name(), liar.VersionVariable+"=2.5.0108")
		runOnLiar(t, t.Name(), liar.VersionVariable+"=2.10.0087")
		return
	}
	_, err := abi.Active()
	require.NoError(t, err)
	abi.Libraries() // the functions that the liar is asked for can lie
	version := os.Getenv(liar.VersionVariable)
	old := strings.HasPrefix(version, "2.5.")
	liar.Tell(liar.Lie{Function: "doca_devinfo_create_list", Code: int32(abi.ErrorNotFound), Any: true})
	if old {
		liar.Tell(liar.Lie{Function: "doca_error_get_name", Code: 28, Text: "Unrecognized error code"})
	}
	report, err := Run(t.Context(), Options{Match: regexp.MustCompile("^(error|version|log|devinfo|mmap|export|buf|list|inventory|pool|array|pe|notification|null|sync-event)/")})
	require.NoError(t, err)
	assert.Equal(t, version, report.Version)
	passed := 0
	var known []string
	for _, r := range report.Results {
		switch r.Status {
		case Passed:
			passed++
		case Known:
			known = append(known, r.Name)
		case Skipped:
			assert.NotEmpty(t, r.Reason, r.Name)
		default:
			assert.Fail(t, string(r.Status), "%s: expected %s, got %s (%s)", r.Name, r.Expected, r.Got, r.Reason)
		}
	}
	if old {
		assert.Equal(t, knownOf(version, "error"), known)
		assert.Len(t, known, 1)
	} else {
		assert.Empty(t, known)
	}
	assert.Greater(t, passed, 90)
	assert.Less(t, passed, len(report.Results)-20) // what needs a device
}

// The JSON form can be read again.
func TestReportReadsItself(t *testing.T) {
	t.Parallel()
	want := sampleReport()
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got Report
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, *want, got)
}
