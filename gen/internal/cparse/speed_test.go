package cparse

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// syntheticSDK makes headers in the number and style of a whole SDK: host and
// device headers, long comments, callbacks, enumerations, structs, macros.
func syntheticSDK(hosts, devices, functions int) map[string]string {
	headers := map[string]string{
		"doca_compat.h": `#pragma once
#define DOCA_USED __attribute__((used))
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED
#define DOCA_EXPERIMENTAL __attribute__((deprecated("experimental"), section(".text.experimental"))) DOCA_STABLE
`,
		"doca_error.h": "#pragma once\n#include <doca_compat.h>\ntypedef enum doca_error { DOCA_SUCCESS, DOCA_ERROR_UNKNOWN } doca_error_t;\n",
	}
	one := func(name, tier string, includes []string, n int) {
		var b strings.Builder
		fmt.Fprintf(&b, "/**\n * @file %s.h\n * @brief %s\n */\n#ifndef %s_H_\n#define %s_H_\n", name, strings.Repeat("Many words about it. ", 40), name, name)
		for _, i := range append([]string{"stdint.h", "stddef.h", "stdbool.h", "stdio.h", "doca_compat.h", "doca_error.h"}, includes...) {
			fmt.Fprintf(&b, "#include <%s>\n", i)
		}
		fmt.Fprintf(&b, "#ifdef __cplusplus\nextern \"C\" {\n#endif\nstruct %s;\nstruct %s_task;\nunion %s_data { void *ptr; uint64_t u64; };\n", name, name, name)
		for i := range n {
			id := fmt.Sprintf("%s_%d", name, i)
			doc := fmt.Sprintf("/**\n * @brief Does the thing number %d.\n *\n%s *\n * @param [in] obj The object.\n * @param [in] size How many bytes.\n * @param [out] out Where to.\n *\n"+
				" * @return\n * DOCA_SUCCESS - in case of success.\n * Error code - in case of failure:\n * - DOCA_ERROR_INVALID_VALUE - obj or out is NULL.\n */\n", i, strings.Repeat(" * A line of text about what it does, when one may call it, and who owns what.\n", 8))
			switch i % 5 {
			case 0:
				fmt.Fprintf(&b, "#define %s_MAX (1ULL << %d) /**< The most. */\n%senum %s_kind {\n", strings.ToUpper(id), i%60, doc, id)
				for k := range 8 {
					fmt.Fprintf(&b, "\t%s_KIND_%d = 1 << %d, /**< Kind %d. */\n", strings.ToUpper(id), k, k, k)
				}
				b.WriteString("};\n")
			case 1:
				fmt.Fprintf(&b, "%sstruct %s_conf {\n\tuint32_t size; /**< Bytes. */\n\tconst char *name; /**< Its name. */\n\tuint8_t id[16];\n\tvoid (*cb)(struct %s *o, void *user);\n};\n", doc, id, name)
			case 2:
				fmt.Fprintf(&b, "%stypedef void (*%s_cb_t)(struct %s_task *task, union %s_data task_user_data, union %s_data ctx_user_data);\n", doc, id, name, name, name)
			}
			fmt.Fprintf(&b, "%s%s\ndoca_error_t %s(const struct %s *obj, uint32_t size, const void *data, size_t len, struct %s **out);\n\n", doc, tier, id, name, name)
		}
		b.WriteString("#ifdef __cplusplus\n}\n#endif\n#endif\n")
		headers[name+".h"] = b.String()
	}
	total := hosts + devices
	for i := range hosts {
		var includes []string
		if i > 0 {
			includes = []string{fmt.Sprintf("doca_h%d.h", i-1), "doca_h0.h"}
		}
		tier := "DOCA_EXPERIMENTAL"
		if i%3 == 0 {
			tier = "DOCA_STABLE"
		}
		one(fmt.Sprintf("doca_h%d", i), tier, includes, functions/total)
	}
	for i := range devices {
		one(fmt.Sprintf("doca_dpa_dev_%d", i), "__dpa_global__", []string{"dpaintrin.h"}, functions/total)
	}
	return headers
}

// TestSpeed parses as much as a whole SDK, and logs how long that takes.
func TestSpeed(t *testing.T) {
	dir := writeHeaders(t, syntheticSDK(82, 9, 1924))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, cpu := time.Now(), processorTime(t)
	api, err := Parse(Config{Dir: dir})
	require.NoError(t, err)
	wall, used := time.Since(start), processorTime(t)-cpu
	runtime.ReadMemStats(&after)
	n := 0
	for _, h := range api.Headers {
		n += len(h.Funcs)
		assert.Empty(t, h.Problems)
	}
	assert.Len(t, api.Headers, 94)
	assert.Equal(t, 91*(1924/91), n)
	t.Logf("%d functions: %v, processor %v, %d MB allocated, %d MB from the system", n, wall, used, (after.TotalAlloc-before.TotalAlloc)>>20, after.Sys>>20)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(1000), "MB allocated")
}

// processorTime is what this process has used.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
