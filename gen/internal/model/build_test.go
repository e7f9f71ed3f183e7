package model

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

const frame = `
#ifndef G_%NAME%
#define G_%NAME%
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#define DOCA_STABLE __attribute__((visibility("default")))
typedef enum doca_error { DOCA_SUCCESS, DOCA_ERROR_UNKNOWN } doca_error_t;
union doca_data { void *ptr; uint64_t u64; };
struct doca_x; struct doca_task; struct doca_x_task_go; struct doca_buf; struct doca_ctx;
#define DOCA_X_NAME_SIZE 32
#define DOCA_X_MAC_SIZE 6
`

// build makes the model of one header whose declarations follow the frame.
func build(t *testing.T, declarations string) *Library {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "doca_version.h"), []byte("#define DOCA_VERSION_MAJOR 3\n#define DOCA_VERSION_MINOR 0\n#define DOCA_VERSION_PATCH 1\n#define DOCA_VERSION_STRING \"3.0.1\"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "doca_x.h"), []byte(frame+declarations+"\n#endif\n"), 0o644))
	api, err := cparse.Parse(cparse.Config{Dir: dir, Headers: []string{"doca_x.h"}})
	require.NoError(t, err)
	m, err := Build(api, []Spec{{Name: "common", Soname: "libdoca_common.so.2", Headers: []string{"doca_x.h"}}})
	require.NoError(t, err)
	require.Len(t, m.Libraries, 1)
	return m.Libraries[0]
}

// function is the only one that the declarations hold.
func onlyFunc(t *testing.T, declaration string) (*Func, *Library) {
	t.Helper()
	lib := build(t, declaration)
	require.Len(t, lib.Funcs, 1, "skipped: %v", lib.Skipped)
	return lib.Funcs[0], lib
}

func TestParameterModes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		declaration string
		modes       []Mode
	}{
		{"doca_error_t doca_x_create(struct doca_x **x);", []Mode{OutValue}},
		{"doca_error_t doca_x_list(struct doca_x ***list, uint32_t *n);", []Mode{OutList, Implied}},
		{"doca_error_t doca_x_destroy_list(struct doca_x **list);", []Mode{InList}},
		{"struct doca_big { uint64_t a[4]; };\ndoca_error_t doca_x_give(struct doca_x *x, const struct doca_big big);", []Mode{InValue, InRecord}},
		{"doca_error_t doca_x_get_name(const struct doca_x *x, char *name, uint32_t size);", []Mode{InValue, OutChars, Implied}},
		{"doca_error_t doca_x_get_name(const struct doca_x *x, char *name);", []Mode{InValue, OutChars}},
		{"doca_error_t doca_x_get_mac(const struct doca_x *x, uint8_t *mac, uint32_t size);", []Mode{InValue, OutArray, Implied}},
		{"doca_error_t doca_x_is_open(const struct doca_x *x, uint8_t *open);", []Mode{InValue, OutBool}},
		{"doca_error_t doca_x_get_depth(const struct doca_x *x, uint8_t *depth);", []Mode{InValue, OutValue}},
		{"doca_error_t doca_x_get_mac(const struct doca_x *x, uint8_t *mac);", []Mode{InValue, InValue}},
		{"/**\n * @brief Gets it.\n *\n * @param [in] x\n * The x.\n * @param [out] where\n * A buffer of 6 bytes.\n */\ndoca_error_t doca_x_get_where(const struct doca_x *x, uint8_t *where);", []Mode{InValue, InValue}},
		{"/**\n * @brief Gets it.\n *\n * @param [in] x\n * A buffer.\n * @param [out] where\n * The place.\n */\ndoca_error_t doca_x_get_where(const struct doca_x *x, uint8_t *where);", []Mode{InValue, OutValue}},
		{"doca_error_t doca_x_export(struct doca_x *x, const void **desc, size_t *desc_len);", []Mode{InValue, OutView, Implied}},
		{"doca_error_t doca_x_import(const void *desc, size_t desc_len, struct doca_x **x);", []Mode{InBytes, Implied, OutValue}},
		{"doca_error_t doca_x_set_range(struct doca_x *x, void *addr, size_t len);", []Mode{InValue, InValue, InValue}},
		{"doca_error_t doca_x_set_data(struct doca_x *x, const union doca_data *data);", []Mode{InValue, InData}},
		{"doca_error_t doca_x_get_data(struct doca_x *x, union doca_data *data);", []Mode{InValue, OutValue}},
		{"doca_error_t doca_x_set_addr(struct doca_x *x, uint64_t *addr);", []Mode{InValue, InValue}},
		{"doca_error_t doca_x_start(int argc, char **argv);", []Mode{Implied, InArgv}},
		{"doca_error_t doca_x_start(int, char **);", []Mode{Implied, InArgv}},
		{"doca_error_t doca_x_get_text(struct doca_x *x, const char **text);", []Mode{InValue, OutText}},
		// Pointers to pointers of which nothing better is known.
		{"doca_error_t doca_x_run(struct doca_x *x, char *const env[], size_t n);", []Mode{InValue, InValue, InValue}},
		{"doca_error_t doca_x_run(uint32_t flags, char **env);", []Mode{InValue, InValue}},
		{"doca_error_t doca_x_deep(struct doca_x ***list);", []Mode{InValue}},
		{"doca_error_t doca_x_deep(struct doca_buf ****list, uint32_t *n);", []Mode{InValue, OutValue}},
		{"doca_error_t doca_x_words(char ***words, size_t *n);", []Mode{InValue, OutValue}},
		{"doca_error_t doca_x_grid(struct doca_buf **grid[4]);", []Mode{InValue}},
		{"void doca_x_log(const char *format, ...);", []Mode{InFormat}},
		// Arrays are no single results: C would read or write beyond one.
		{"doca_error_t doca_x_bind(struct doca_x *x, uint32_t *ids, uint32_t ids_len);", []Mode{InValue, InSlice, Implied}},
		{"doca_error_t doca_x_ports(uint16_t *port_arr, uint16_t port_arr_len, uint16_t *nr_ports);", []Mode{InSlice, Implied, OutValue}},
		{"doca_error_t doca_x_affinity(struct doca_x *x, uint32_t num_threads, uint32_t *affinity);", []Mode{InValue, InValue, InValue}},
		{"doca_error_t doca_x_apply(struct doca_x *x, uint32_t num, const uint64_t *ids, uint32_t *failed_ids, uint64_t *how);", []Mode{InValue, Implied, InSlice, InSlice, OutValue}},
		{"doca_error_t doca_x_missing(struct doca_x *x, uint32_t which[], struct doca_x **y);", []Mode{InValue, InValue, OutValue}},
		{"typedef uint8_t doca_guid_t[16];\ndoca_error_t doca_x_report(struct doca_x *x, const doca_guid_t id);", []Mode{InValue, InValue}},
		{"doca_error_t doca_x_raw(struct doca_x *x, uint8_t *data, size_t block_count);", []Mode{InValue, InValue, InValue}},
		{"doca_error_t doca_x_actions(struct doca_x *x, struct doca_x *const *actions, struct doca_x *const *masks, size_t nr);", []Mode{InValue, InSlice, InSlice, Implied}},
		{"doca_error_t doca_x_labels(struct doca_x *x, const char *names[], int num, uint64_t *id);", []Mode{InValue, InValue, InValue, OutValue}},
		{"doca_error_t doca_x_send(struct doca_x *x, const void **records, size_t nof_records);", []Mode{InValue, InValue, InValue}},
		{"void doca_x_array_free(struct doca_x **array);", []Mode{InList}},
		{"doca_error_t doca_x_make(size_t num_elem, struct doca_x **x);", []Mode{InValue, OutValue}},
		{"doca_error_t doca_x_mail(struct doca_x *x, uint32_t size, uint32_t *resp_size);", []Mode{InValue, InValue, OutValue}},
		{"doca_error_t doca_x_set_cb(struct doca_x *x, doca_error_t (*cb)(void *));", []Mode{InValue, InRaw}},
		{"doca_error_t doca_x_set_cb(struct doca_x *x, void (*cb)(void *addr, void *cookie), void *cookie);", []Mode{InValue, InTramp, InValue}},
	} {
		t.Run(c.declaration, func(t *testing.T) {
			fn, _ := onlyFunc(t, c.declaration)
			var got []Mode
			for _, p := range fn.Params {
				got = append(got, p.Mode)
			}
			assert.Equal(t, c.modes, got, c.declaration)
		})
	}
}

func TestWhatIsSkippedHasAReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ declaration, reason string }{
		{"doca_error_t doca_x_open(FILE *f);", "parameter f is a FILE *, a stream of C's stdio"},
		{"doca_error_t doca_x_launch(struct doca_x *x, ...);", "variadic"},
		{"doca_error_t doca_x_get(struct doca_x *x, char *words);", "unknown size"},
		{"doca_error_t doca_x_vlog(const char *f, va_list ap);", "va_list"},
		{"struct doca_open { int n; uint64_t a[]; };\ndoca_error_t doca_x_give(struct doca_open open);", "flexible array"},
		{"struct doca_wide { long double d; };\ndoca_error_t doca_x_give(struct doca_wide wide);", "is not bound"},
		{"struct doca_big { uint64_t a[4]; };\ntypedef void (*doca_big_cb)(struct doca_big big);\ndoca_error_t doca_x_call(struct doca_x *x, doca_big_cb cb);", "by value"},
		{"static inline int doca_x_two(int a) { return abs(a); }", "static inline that uses abs"},
		{"static inline int doca_x_jump(int a) { if (a) goto out; a = 2; out: return a; }", "static inline that uses goto"},
		{"static inline int doca_x_three(int a, ...) { return a; }", "variadic"},
		{"typedef void (*doca_flush)(char *);\ndoca_error_t doca_x_buf(char *buf, size_t capacity, doca_flush f);", "keeps the caller's buffer"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			lib := build(t, c.declaration)
			assert.Empty(t, lib.Funcs, c.declaration)
			require.NotEmpty(t, lib.Skipped, c.declaration)
			found := false
			for _, s := range lib.Skipped {
				if s.Kind == "function" {
					assert.Contains(t, s.Reason, c.reason, c.declaration)
					found = true
				}
			}
			assert.True(t, found, c.declaration)
			assert.Equal(t, lib.Declared, lib.Bound+len(lib.Skipped))
		})
	}
}

func TestTasksAndCallbacks(t *testing.T) {
	t.Parallel()
	lib := build(t, `
typedef void (*doca_x_task_go_cb_t)(struct doca_x_task_go *task, union doca_data task_data, union doca_data ctx_data);
doca_error_t doca_x_task_go_set_conf(struct doca_x *x, doca_x_task_go_cb_t task_completion_cb, doca_x_task_go_cb_t task_error_cb, uint32_t num);
doca_error_t doca_x_task_go_alloc_init(struct doca_x *x, union doca_data user_data, struct doca_x_task_go **task);
struct doca_task *doca_x_task_go_as_task(struct doca_x_task_go *task);
void doca_x_task_go_set_buf(struct doca_x_task_go *task, struct doca_buf *buf);
const struct doca_buf *doca_x_task_go_get_buf(const struct doca_x_task_go *task);
typedef void (*doca_x_event_msg_cb_t)(struct doca_x_event_msg *event, uint8_t *bytes, uint32_t len, struct doca_ctx *from);
doca_error_t doca_x_event_msg_register(struct doca_x *x, doca_x_event_msg_cb_t cb);
`)
	require.Len(t, lib.Tasks, 1)
	task := lib.Tasks[0]
	assert.Equal(t, "XTaskGo", task.GoName)
	assert.Equal(t, "doca_x_task_go_set_conf", task.SetConf)
	assert.Equal(t, "doca_x_task_go_alloc_init", task.AllocInit)
	assert.Equal(t, []TaskField{{"Buf", "doca_x_task_go_set_buf"}}, task.Buffers)
	require.Len(t, lib.Callbacks, 3)
	done, failed, event := lib.Callbacks[0], lib.Callbacks[1], lib.Callbacks[2]
	assert.Equal(t, "XTaskGoCompletion", done.GoName)
	assert.False(t, done.Failed)
	assert.True(t, failed.Failed)
	assert.Equal(t, "doca_x_task_go_as_task", failed.AsTask)
	assert.NotEqual(t, done.Hash, failed.Hash)
	slots := func(c *Callback) (out []Slot) {
		for _, a := range c.Args {
			out = append(out, a.Slot)
		}
		return out
	}
	assert.Equal(t, []Slot{SlotObject, SlotUser, SlotCtx}, slots(done))
	assert.Equal(t, []Slot{SlotNone, SlotPayload, SlotArg, SlotObject}, slots(event))
}

func TestNameClashes(t *testing.T) {
	t.Parallel()
	lib := build(t, `
enum doca_x_kinds { DOCA_X_JOB = 1 };
struct doca_x_job { int a; };
doca_error_t doca_x_kinds(struct doca_x *x);
`)
	require.Len(t, lib.Structs, 1)
	assert.Equal(t, "XJob", lib.Structs[0].GoName)
	for _, e := range lib.Enums {
		if e.CName == "doca_x_kinds" {
			assert.Equal(t, "XJobValue", e.Consts[0].GoName)
		}
	}
	assert.Equal(t, "XKindsFunc", lib.Funcs[0].GoName)
}

// What begins with underscores does not take the names of others, wherever it is declared.
func TestInnerNames(t *testing.T) {
	t.Parallel()
	lib := build(t, `
doca_error_t __doca_x_flush(struct doca_x *x);
doca_error_t doca_x_flush(struct doca_x *x);
doca_error_t __doca_x_sync(struct doca_x *x);
`)
	got := map[string]string{}
	for _, f := range lib.Funcs {
		got[f.CName] = f.GoName
	}
	assert.Equal(t, map[string]string{"doca_x_flush": "XFlush", "__doca_x_flush": "XFlushFunc", "__doca_x_sync": "XSync"}, got)
}

func TestReasonsNameTheType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ declaration, name, reason string }{
		{"typedef int doca_x_row_t[4];", "doca_x_row_t", `no Go form for C type "int[4]"`},
		{"doca_error_t doca_log_backend_create_with_file(FILE *f);\ndoca_error_t doca_log_backend_create_with_fd(int fd);", "doca_log_backend_create_with_file",
			"parameter f is a FILE *, a stream of C's stdio: Go has none to pass; doca_log_backend_create_with_fd does the same with a file descriptor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reasons []string
			for _, s := range build(t, c.declaration).Skipped {
				if s.Name == c.name {
					reasons = append(reasons, s.Reason)
				}
			}
			assert.Equal(t, []string{c.reason}, reasons)
		})
	}
}

func TestPackageNames(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, s := range Plan([]string{"doca_error.h", "doca_type.h", "doca_3d.h", "doca_abi.h", "doca_common.h", "doca_internal.h", "doca_string.h", "doca_flow_net.h", "doca_flow.h"}) {
		got[s.Prefix] = s.Name
	}
	assert.Equal(t, map[string]string{"": "common", "type": "docatype", "3d": "doca3d", "abi": "docaabi", "common": "docacommon", "internal": "docainternal", "string": "docastring", "flow": "flow"}, got)
}

// DOCA may read a message when its task is submitted: no Go memory may be given to it.
func TestMemoryOfTasks(t *testing.T) {
	lib := build(t, `struct doca_task; struct doca_x; struct doca_x_task_go;
struct doca_task *doca_x_task_go_as_task(struct doca_x_task_go *task);
doca_error_t doca_x_task_go_alloc_init(struct doca_x *x, const void *msg, uint32_t len, struct doca_x_task_go **task);
void doca_x_task_go_set_imm_data(struct doca_x_task_go *task, uint8_t *imm_data, uint32_t imm_data_len);
doca_error_t doca_x_send(struct doca_x *x, const void *msg, uint32_t len);`)
	modes := map[string][]Mode{}
	for _, f := range lib.Funcs {
		for _, p := range f.Params {
			modes[f.CName] = append(modes[f.CName], p.Mode)
		}
	}
	assert.Equal(t, []Mode{InValue, InC, Implied, OutValue}, modes["doca_x_task_go_alloc_init"])
	assert.Equal(t, []Mode{InValue, InC, Implied}, modes["doca_x_task_go_set_imm_data"])
	assert.Equal(t, []Mode{InValue, InBytes, Implied}, modes["doca_x_send"])
}

func TestConstants(t *testing.T) {
	t.Parallel()
	lib := build(t, `
#define DOCA_X_ONE 1
#define DOCA_X_MAX 0xffffffffffffffffull
#define DOCA_X_SUFFIX 5u
#define DOCA_X_LONG (1L << 40)
#define DOCA_X_CAST ((uint16_t)70000)
#define DOCA_X_LOW ((int8_t)-3)
#define DOCA_X_HEX 0xffffffff
#define DOCA_X_CHAR 'c'
#define DOCA_X_TRUE ((_Bool)1)
#define DOCA_X_THIRD 0.25f
#define DOCA_X_OF (DOCA_X_SUFFIX + 1)
#define DOCA_X_CALL "f(x)"
#define DOCA_X_MINUS (-3)
#define DOCA_X_TEXT "a\"b" "\101\n"
#define DOCA_X_RATE 1.5
#define DOCA_X_WHOLE 2.0
#define DOCA_X_CODE do { } while (0)
enum { DOCA_X_PLAIN = 7 };
enum doca_x_wide { DOCA_X_WIDE_ALL = 0xffffffffffffffffull, DOCA_X_WIDE_NONE = 0 };
typedef uint32_t doca_x_again_t;
typedef uint32_t doca_x_again_t;
`)
	got := map[string]string{}
	for _, c := range lib.Constants {
		got[c.CName] = c.Value
	}
	assert.Subset(t, got, map[string]string{"DOCA_X_ONE": "1", "DOCA_X_MAX": "uint64(18446744073709551615)", "DOCA_X_MINUS": "-3",
		"DOCA_X_TEXT": `"a\"bA\n"`, "DOCA_X_RATE": "1.5", "DOCA_X_WHOLE": "2.0", "DOCA_X_PLAIN": "7",
		"DOCA_X_SUFFIX": "uint32(5)", "DOCA_X_LONG": "int64(1099511627776)", "DOCA_X_CAST": "uint16(4464)", "DOCA_X_LOW": "int8(-3)",
		"DOCA_X_HEX": "uint32(4294967295)", "DOCA_X_CHAR": "99", "DOCA_X_TRUE": "1", "DOCA_X_THIRD": "float32(0.25)", "DOCA_X_OF": "uint32(6)"})
	assert.NotContains(t, got, "DOCA_X_CODE")
	require.Len(t, lib.Enums, 2)
	assert.Equal(t, "uint64_t", lib.Enums[1].Type)
	require.Len(t, lib.Typedefs, 1, "the same twice")
	assert.Equal(t, lib.Declared, lib.Bound+len(lib.Skipped))
}

// Which count belongs to which array is told by names; a struct beside a count of something else stays one.
func TestArrays(t *testing.T) {
	t.Parallel()
	lib := build(t, `
struct doca_x_pair { uint32_t a, b; };
doca_error_t doca_x_one(struct doca_x *x, uint32_t *values, uint32_t num_values);
doca_error_t doca_x_two(struct doca_x *x, const uint32_t meta_array[], const uint16_t flag_array[], size_t meta_num);
doca_error_t doca_x_none(struct doca_x *x, const uint32_t *values, size_t rows_num, size_t columns_num);
doca_error_t doca_x_attrs(struct doca_x *x, struct doca_x_pair *attrs, uint32_t first, uint32_t num_tasks);
doca_error_t doca_x_pairs(struct doca_x *x, struct doca_x_pair *pairs_array, uint32_t first, uint32_t num_pairs);
doca_error_t doca_x_cfg_set_pairs(struct doca_x *x, struct doca_x_pair *const *pairs, size_t nr_pairs);
doca_error_t doca_x_raw(struct doca_x *x, const uint8_t *data, size_t row_count, size_t column_count);
doca_error_t doca_x_out(struct doca_x *x, uint32_t *num_found, uint32_t num_max);
doca_error_t doca_x_gid(struct doca_x *x, const uint8_t gid[16], char name[32], uint8_t mac[6]);
`)
	got := map[string]string{}
	for _, f := range lib.Funcs {
		got[f.CName] = f.Signature(lib.Name)
	}
	for name, want := range map[string]string{
		"doca_x_one":           "values []uint32)",
		"doca_x_two":           "metaArray []uint32, flagArray []uint16)",
		"doca_x_none":          "values unsafe.Pointer, rowsNum uint64, columnsNum uint64)",
		"doca_x_attrs":         "attrs *XPair, first uint32, numTasks uint32)",
		"doca_x_pairs":         "pairsArray []XPair, first uint32)",
		"doca_x_cfg_set_pairs": "pairs abi.CSlice[*XPair])",
		"doca_x_raw":           "data unsafe.Pointer, rowCount uint64, columnCount uint64)",
		"doca_x_gid":           "gid [16]byte) (name string, mac [6]byte, err error)",
	} {
		assert.Contains(t, got[name], want, name)
	}
}
