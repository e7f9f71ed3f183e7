package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// largeSDK writes the headers of an SDK of the size of NVIDIA's: this project's, copies of some under other names, and made-up
// libraries with many structs and enums, one of which needs headers that are not installed. Each call writes the same.
func largeSDK(tb testing.TB, dir string) {
	tb.Helper()
	require.NoError(tb, os.CopyFS(dir, os.DirFS(reference)))
	write := func(name, text string) {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, c := range []struct {
		headers, symbols string // what their names begin with
		copies           []string
	}{
		{"doca_rdma", "doca_rdma", []string{"radio"}},
		{"doca_comch", "doca_comch", []string{"kanal"}},
		{"doca_compress", "doca_compress", []string{"press", "squeeze", "digest"}},
		{"doca_erasure_coding", "doca_ec", []string{"repair", "parity"}},
		{"doca_dma", "doca_dma", []string{"move", "fill", "check", "scan", "merge", "split", "sort", "seek"}},
		{"doca_dpa_dev", "doca_dpa_dev", []string{"pcc_dev"}},
	} {
		headers, err := filepath.Glob(filepath.Join(reference, c.headers+"*.h"))
		require.NoError(tb, err)
		require.NotEmpty(tb, headers)
		for _, name := range c.copies {
			for _, path := range headers {
				text, err := os.ReadFile(path)
				require.NoError(tb, err)
				rename := strings.NewReplacer(
					c.headers, "doca_"+name, strings.ToUpper(c.headers), "DOCA_"+strings.ToUpper(name),
					c.symbols, "doca_"+name, strings.ToUpper(c.symbols), "DOCA_"+strings.ToUpper(name))
				write(rename.Replace(filepath.Base(path)), rename.Replace(string(text)))
			}
		}
	}
	for i := range 6 {
		write(fmt.Sprintf("doca_stream%s.h", []string{"", "_net", "_meter", "_group", "_stats", "_tune"}[i]),
			shapedHeader([]string{"stream", "stream_net", "stream_meter", "stream_group", "stream_stats", "stream_tune"}[i], 10, 25))
	}
	const guard = "#include <doca_types.h>\n"
	for i := range 12 {
		name := fmt.Sprintf("unit%c", 'a'+i)
		text, attr := shapedHeader(name, 2, 8), shapedHeader(name+"_attr", 3, 2)
		switch i { // what costs the parser more than one pass
		case 0:
			attr = strings.Replace(attr, guard, guard+"#include <farm/list.h>\n", 1)
			attr = strings.Replace(attr, "\nstruct doca_dev;\n", "\nstruct doca_dev;\n\n/** @brief A member of a list. */\nstruct doca_unita_member {\n\tfarm_list_t list; /**< The list. */\n\tuint32_t id; /**< Its number. */\n};\n", 1)
			text = strings.Replace(text, guard, guard+"#include <doca_unita_attr.h>\n#include <farm/cores.h>\n", 1)
			text = strings.Replace(text, "uint32_t priority,", "const farm_cores_t *cores,", 1)
		case 1:
			text = strings.ReplaceAll(text, "\nenum doca_unitb_kind", "\nenum __attribute__((__packed__)) doca_unitb_kind")
		}
		write("doca_"+name+".h", text)
		write("doca_"+name+"_attr.h", attr)
	}
}

// shapedHeader is a header with structs that hold each other, unions, bit-fields and arrays, an enum for each struct, and
// functions that take them.
func shapedHeader(name string, structs, functions int) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	lib, upper := "doca_"+name, "DOCA_"+strings.ToUpper(name)
	p("/**\n * @file %s.h\n * @brief %s: objects, their rules and what was counted.\n *\n", lib, name)
	p(" * Make an object with %s_object_create(), and give it rules. Rules refer to what a packet holds: see\n * %s_rule0 and those behind it.\n */\n", lib, lib)
	p("#ifndef %s_H_\n#define %s_H_\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#include <doca_compat.h>\n#include <doca_error.h>\n#include <doca_types.h>\n\n", upper, upper)
	p("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n/** @brief An object. */\nstruct %s_object;\n\nstruct doca_dev;\n\n", lib)
	p("/** @brief The most rules of an object. */\n#define %s_MAX_RULES 128\n\n", upper)
	for i := range structs {
		p("/** @brief What rule %d does with what it applies to. */\nenum %s_kind%d {\n", i, lib, i)
		for j := range 12 {
			p("\t%s_KIND%d_VALUE%d = %d, /**< It is passed on to number %d, unless there is none. */\n", upper, i, j, j, j)
		}
		p("};\n\n/** @brief A rule of kind %d, all of whose members are in the order of bytes of the network. */\nstruct %s_rule%d {\n", i, lib, i)
		p("\tenum %s_kind%d kind; /**< What it does. */\n\tuint32_t flags; /**< Bits that say which members apply. */\n", lib, i)
		p("\tuint8_t src_mac[6]; /**< The address of the sender. */\n\tuint8_t dst_mac[6]; /**< The address of the receiver. */\n")
		p("\tuint16_t vlan; /**< The tag of the network, 0 for none. */\n\tuint16_t port; /**< The port. */\n")
		p("\tunion {\n\t\tuint32_t v4; /**< An address of four bytes. */\n\t\tuint32_t v6[4]; /**< An address of sixteen bytes. */\n\t} address; /**< The address. */\n")
		p("\tstruct {\n\t\tuint64_t packets; /**< How many packets. */\n\t\tuint64_t bytes; /**< How many bytes. */\n\t} counted; /**< What was counted. */\n")
		p("\tuint32_t ttl : 8; /**< How far it may go. */\n\tuint32_t mark : 24; /**< The mark that it gets. */\n")
		p("\tuint32_t meta[8]; /**< What the program has noted. */\n\tvoid *user; /**< What belongs to the program. */\n")
		p("\tconst char *label; /**< A name for logs. */\n\tbool enabled; /**< It is in use. */\n")
		if i > 0 {
			p("\tstruct %s_rule%d inner; /**< The rule inside of it. */\n", lib, i-1)
		}
		p("};\n\n")
	}
	p("/**\n * @brief Called when a rule has been carried out.\n *\n * @param [in] object The object.\n * @param [in] status What became of it.\n * @param [in] user_ctx What the program gave with the rule.\n */\n")
	p("typedef void (*%s_done_cb)(struct %s_object *object, uint32_t status, void *user_ctx);\n\n", lib, lib)
	for i := range functions {
		rule := i % structs
		doc := func(brief string, params ...string) {
			p("/**\n * @brief %s\n *\n * The call may be made at any time between the creation of the object and its end, on one thread at a time.\n *\n", brief)
			for _, q := range params {
				p(" * @param %s\n", q)
			}
			p(" * @return DOCA_SUCCESS on success, else:\n * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.\n * - DOCA_ERROR_NO_MEMORY: memory allocation failed.\n */\nDOCA_EXPERIMENTAL\n")
		}
		object := "[in] object The object."
		switch {
		case i == 0:
			doc("Makes an object.", "[in] dev The device.", "[out] object The new object.")
			p("doca_error_t %s_object_create(struct doca_dev *dev, struct %s_object **object);\n\n", lib, lib)
		case i == 1:
			doc("Ends an object.", object)
			p("doca_error_t %s_object_destroy(struct %s_object *object);\n\n", lib, lib)
		case i == 2:
			doc("Sets the callback of an object.", object, "[in] done_cb What is called.")
			p("doca_error_t %s_object_set_done_cb(struct %s_object *object, %s_done_cb done_cb);\n\n", lib, lib, lib)
		case i%4 == 0:
			doc("Adds a rule.", object, "[in] rule The rule.", "[in] priority The lower, the earlier.", "[out] id The number of the rule.")
			p("doca_error_t %s_object_add%d(struct %s_object *object, const struct %s_rule%d *rule, uint32_t priority, uint64_t *id);\n\n", lib, i, lib, lib, rule)
		case i%4 == 1:
			doc("Gets a rule.", object, "[in] id The number of the rule.", "[out] rule The rule.")
			p("doca_error_t %s_object_query%d(struct %s_object *object, uint64_t id, struct %s_rule%d *rule);\n\n", lib, i, lib, lib, rule)
		case i%4 == 2:
			doc("Sets what rules do by default.", object, "[in] kind What they do.")
			p("doca_error_t %s_object_set_default%d(struct %s_object *object, enum %s_kind%d kind);\n\n", lib, i, lib, lib, rule)
		default:
			doc("Counts what a rule has applied to.", object, "[in] label The name of the rule.", "[out] count The number.")
			p("doca_error_t %s_object_count%d(const struct %s_object *object, const char *label, uint32_t *count);\n\n", lib, i, lib)
		}
	}
	p("#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
	return b.String()
}

var stability = regexp.MustCompile(`(?m)^DOCA_(STABLE|EXPERIMENTAL)$`)

// The SDK that is measured has the size of NVIDIA's DOCA 3.0: 94 headers, about 1,900 functions. DOCA_LARGE_SDK=DIR leaves it
// there, for a profiler.
func TestLargeSDK(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if d := os.Getenv("DOCA_LARGE_SDK"); d != "" {
		dir = d
	}
	largeSDK(t, dir)
	headers, err := filepath.Glob(filepath.Join(dir, "doca_*.h"))
	require.NoError(t, err)
	functions := 0
	for _, h := range headers {
		text, err := os.ReadFile(h)
		require.NoError(t, err)
		functions += len(stability.FindAll(text, -1))
	}
	assert.InDelta(t, 94, len(headers), 5)
	assert.InDelta(t, 1924, functions, 100)
}
