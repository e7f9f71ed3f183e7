// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// oldArgp is the argument parser of 2.5, as far as its life is asked about.
const oldArgp = `
#include <stdlib.h>
#include <string.h>
struct param { const char *short_name, *long_name, *description; };
int doca_argp_init(const char *name, void *config) { (void)name; (void)config; return 0; }
int doca_argp_destroy(void) { return 0; }
int doca_argp_start(int argc, char **argv) { (void)argv; return argc > 1 ? 4 : 0; }
int doca_argp_param_create(struct param **p) { *p = calloc(1, sizeof(**p)); return 0; }
void doca_argp_param_set_short_name(struct param *p, const char *s) { p->short_name = strdup(s); }
void doca_argp_param_set_long_name(struct param *p, const char *s) { p->long_name = strdup(s); }
void doca_argp_param_set_description(struct param *p, const char *s) { p->description = strdup(s); }
void doca_argp_param_set_type(struct param *p, int type) { (void)p; (void)type; }
void doca_argp_param_set_callback(struct param *p, void *f) { (void)p; (void)f; }
int doca_argp_register_param(struct param *p) { return p->description && (p->short_name || p->long_name) ? 0 : 8; }
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
		for _, name := range []string{"error/names-of-3.0", "argp/init-twice", "argp/start-before-init", "argp/destroy-twice", "argp/no-description", "argp/no-name", "argp/dash-in-name"} {
			assert.Equal(t, Known, status[name].Status, "%s: %s", name, status[name].Got)
			assert.Contains(t, status[name].Reason, "known of DOCA 2.5", name)
		}
		for _, name := range []string{"error/names", "version/runtime", "devinfo/list", "argp/name-with-space"} {
			assert.Equal(t, Passed, status[name].Status, "%s: %s", name, status[name].Reason)
		}
		assert.Contains(t, status["dma/copy"].Reason, "there is no device: doca_devinfo_create_list: DOCA_ERROR_NOT_FOUND")
		assert.Contains(t, status["mmap/start-without-range"].Reason, "doca_mmap_create: libdoca_common.so.2 of sdk 2.5.0108")
		// What no release is known to answer still differs: this parser takes every name.
		assert.Equal(t, Differs, status["argp/name-of-doca"].Status)
		assert.True(t, report.Failed())
	}
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
