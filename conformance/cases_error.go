// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

func errorCases() []Case {
	return of("common", []Case{
		{
			Name: "error/names", Rule: "doca_error_get_name returns the enumerator's name for each code from 0 to 27.", Source: Observed,
			Run: func(t *T) {
				for code := abi.Success; code <= tooBig; code++ {
					name, err := common.ErrorGetName(code)
					t.must("doca_error_get_name", err)
					t.equal(fmt.Sprintf("doca_error_get_name of %d", code), name, code.String())
				}
			},
		},
		{
			Name: "error/names-of-3.0", Rule: "The codes from 28 to 30 have names.", Source: Documented,
			Differences: []Difference{{Releases: "2.5", Want: "Unrecognized error code", Note: "it has the codes up to 27"}},
			Run: func(t *T) {
				for code := abi.ErrorAuthentication; code <= abi.ErrorSkipped; code++ {
					name, err := common.ErrorGetName(code)
					t.must("doca_error_get_name", err)
					t.equal(fmt.Sprintf("doca_error_get_name of %d", code), name, code.String())
				}
			},
		},
		{
			Name: "error/unknown-code", Rule: "A code that does not exist has a name and a description, which are the same fixed text.", Source: Observed,
			Run: func(t *T) {
				name, err := common.ErrorGetName(9999)
				t.must("doca_error_get_name", err)
				text, err := common.ErrorGetDescr(9999)
				t.must("doca_error_get_descr", err)
				t.that("doca_error_get_name of 9999", "a text", name, name != "" && !strings.HasPrefix(name, "DOCA_"))
				t.equal("doca_error_get_descr of 9999", text, name)
			},
		},
		{
			Name: "error/descriptions", Rule: "Each code from 0 to 27 has a description of its own, in words.", Source: Documented,
			Run: func(t *T) {
				seen := map[string]abi.Error{}
				for code := abi.Success; code <= tooBig; code++ {
					text, err := common.ErrorGetDescr(code)
					t.must("doca_error_get_descr", err)
					_, double := seen[text]
					t.that(fmt.Sprintf("doca_error_get_descr of %d", code), "a text that no other code has", text, text != "" && !double && !strings.HasPrefix(text, "DOCA_"))
					seen[text] = code
				}
			},
		},
		{
			Name: "error/description-of-success", Rule: "The description of DOCA_SUCCESS is \"Success\".", Source: Observed,
			Run: func(t *T) {
				text, err := common.ErrorGetDescr(abi.Success)
				t.must("doca_error_get_descr", err)
				t.equal("doca_error_get_descr of 0", text, "Success")
			},
		},
	})
}

var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+`)

func versionCases() []Case {
	return of("common", []Case{
		{
			Name: "version/runtime", Rule: "doca_version_runtime returns a version of three numbers.", Source: Documented,
			Run: func(t *T) {
				v, err := common.VersionRuntime()
				t.must("doca_version_runtime", err)
				t.that("doca_version_runtime", "a version such as 3.0.0058", v, versionForm.MatchString(v))
			},
		},
		{
			Name: "version/runtime-is-that-of-the-library", Rule: "doca_version_runtime returns the same text each time.", Source: Documented,
			Run: func(t *T) {
				v, err := common.VersionRuntime()
				t.must("doca_version_runtime", err)
				t.equal("doca_version_runtime", v, t.env.version)
			},
		},
	})
}

func logCases() []Case {
	level := func(t *T, asked string, get func() (uint32, error), set func(uint32) error) {
		before, err := get()
		t.must(asked+" before", err)
		t.onEnd(func() { _ = set(before) })
		t.must(asked, set(uint32(common.LogLevelDebug)))
		now, err := get()
		t.must(asked+" after", err)
		t.equal(asked, now, uint32(common.LogLevelDebug))
	}
	return of("common", []Case{
		{
			Name: "log/register-source", Rule: "A source gets an identifier, by which it is taken out again.", Source: Documented,
			Run: func(t *T) {
				id, err := common.LogRegisterSource("conformance")
				t.must("doca_log_register_source", err)
				t.code("doca_log_unregister_source", common.LogUnregisterSource(id), success)
			},
		},
		{
			Name: "log/two-sources", Rule: "Two sources have different identifiers.", Source: Documented,
			Run: func(t *T) {
				a, err := common.LogRegisterSource("conformance_a")
				t.must("doca_log_register_source", err)
				b, err := common.LogRegisterSource("conformance_b")
				t.must("doca_log_register_source", err)
				t.onEnd(func() { _, _ = common.LogUnregisterSource(a), common.LogUnregisterSource(b) })
				t.that("doca_log_register_source twice", "two identifiers", fmt.Sprint(a, " and ", b), a != b)
			},
		},
		{
			Name: "log/lower-limit", Rule: "The global lower limit of the program's messages can be set and read.", Source: Documented,
			Run: func(t *T) {
				level(t, "doca_log_level_set_global_lower_limit", common.LogLevelGetGlobalLowerLimit, common.LogLevelSetGlobalLowerLimit)
			},
		},
		{
			Name: "log/sdk-limit", Rule: "The global limit of DOCA's own messages can be set and read.", Source: Documented,
			Run: func(t *T) {
				level(t, "doca_log_level_set_global_sdk_limit", common.LogLevelGetGlobalSDKLimit, common.LogLevelSetGlobalSDKLimit)
			},
		},
		{
			Name: "log/default-lower-limit", Rule: "Messages of level INFO and above are shown unless the program says otherwise.", Source: Observed,
			Run: func(t *T) {
				now, err := common.LogLevelGetGlobalLowerLimit()
				t.must("doca_log_level_get_global_lower_limit", err)
				t.equal("doca_log_level_get_global_lower_limit", now, uint32(common.LogLevelInfo))
			},
		},
		{
			Name: "log/unknown-level", Rule: "A level that does not exist is refused as a global limit.", Source: Documented,
			Run: func(t *T) {
				before, err := common.LogLevelGetGlobalLowerLimit()
				t.must("doca_log_level_get_global_lower_limit", err)
				t.onEnd(func() { _ = common.LogLevelSetGlobalLowerLimit(before) })
				t.code("doca_log_level_set_global_lower_limit with 12345", common.LogLevelSetGlobalLowerLimit(12345), invalid)
			},
		},
	})
}
