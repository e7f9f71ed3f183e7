package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomHeader writes a header of a library that nobody would write, of the pieces that SDK
// headers are made of, with names that are in the way of Go's.
type randomHeader struct {
	*rand.Rand
	b     strings.Builder
	types []string // values
	tags  []string // opaque
	whole []string // structs with members
	calls []string // callback types
	n     int
}

var awkward = []string{"type", "len", "range", "func", "map", "chan", "go", "error", "string", "int32", "unsafe", "C", "out0", "out1n",
	"ring", "rc", "err", "common", "abi", "rnd", "library", "args", "argsC", "message", "text", "result", "cap", "nil", "iota", "append",
	"byte", "size", "buf", "data", "num_bytes", "user_data", "dev", "x", "y", "x_", "_x", "X", "interface_", "num", "count", "name_len", "",
	"task", "typed", "task_user_data", "outer", "result_", "value_", "local_x", "arg0", "arg_result", "godoca_sym"}

func (r *randomHeader) pick(from []string) string { return from[r.IntN(len(from))] }

func (r *randomHeader) printf(format string, args ...any) { fmt.Fprintf(&r.b, format, args...) }

func (r *randomHeader) fresh(what string) string {
	r.n++
	return fmt.Sprintf("doca_rnd_%s%d", what, r.n)
}

func (r *randomHeader) declareTypes() {
	for range 6 {
		tag := r.fresh("obj")
		r.tags = append(r.tags, tag)
		r.printf("struct %s;\n", tag)
	}
	for i := range 8 {
		tag := r.fresh("enum")
		attr := ""
		if i%3 == 0 {
			attr = "__attribute__((packed)) "
		}
		values := []string{"0", "-1", "1 << 7", "255", "65535", "0x7fffffff", "0x80000000u", "1ull << 40", "0xfffffffffffffffeull"}[:2+r.IntN(8)]
		r.printf("enum %s%s {", attr, tag)
		for j, v := range values {
			r.printf(" %s_V%d = %s,", strings.ToUpper(tag), j, v)
		}
		r.printf(" };\n")
		r.types = append(r.types, "enum "+tag)
	}
	r.printf("typedef enum { DOCA_RND_UNTAGGED_A, DOCA_RND_UNTAGGED_B = 7 } doca_rnd_untagged_t;\n")
	r.types = append(r.types, "doca_rnd_untagged_t", "uint8_t", "int8_t", "uint16_t", "int32_t", "uint64_t", "size_t", "bool", "double", "float",
		"char", "long", "unsigned long long", "union doca_data", "uintptr_t", "doca_error_t", "doca_rnd_handle_t")
	r.printf("typedef uint64_t doca_rnd_handle_t;\n")
	for range 6 {
		tag := r.fresh("s")
		r.printf("struct %s {\n", tag)
		for i := range 1 + r.IntN(6) {
			switch r.IntN(12) {
			case 4:
				r.printf("\tint (*fn%d)(%s);\n\tuint8_t Fn%d;\n", i, r.params(2, false), i)
			case 5:
				r.printf("\tuint16_t m%d[2][3];\n\tuint8_t _m%d, m%d_;\n", i, i, i)
			case 6:
				r.printf("\tstruct { uint8_t q%d; uint32_t z%d; } in%d[2];\n", i, i, i)
			case 7:
				r.printf("\tstruct { uint8_t p%d; uint64_t r%d; } __attribute__((packed));\n", i, i)
			case 8:
				if len(r.whole) > 0 {
					r.printf("\tstruct %s w%d[%d];\n", r.pick(r.whole), i, 1+r.IntN(2))
				}
			case 9:
				r.printf("\tuint8_t b%d : 3, : 2, c%d : 1;\n", i, i)
			case 10:
				r.printf("\tuint32_t al%d __attribute__((aligned(%d)));\n", i, 8<<r.IntN(4))
			case 0:
				r.printf("\t%s a%d[%d];\n", r.pick(r.types), i, 1+r.IntN(5))
			case 1:
				r.printf("\tstruct %s *a%d;\n", r.pick(r.tags), i)
			case 2:
				r.printf("\tunion { uint32_t u%d; uint8_t b%d[4]; };\n", i, i)
			case 3:
				r.printf("\tuint32_t f%d : %d;\n", i, 1+r.IntN(31))
			default:
				r.printf("\t%s a%d;\n", r.pick(r.types), i)
			}
		}
		r.printf("}%s;\n", r.pick([]string{"", "", "", " __attribute__((packed))", " __attribute__((packed, aligned(4)))", " __attribute__((aligned(64)))"}))
		r.whole = append(r.whole, tag)
	}
	for i := range 5 {
		name := r.fresh("cb") + "_t"
		ret := []string{"void", "void", "void", "int", "doca_error_t"}[i]
		r.printf("typedef %s (*%s)(%s);\n", ret, name, r.params(1+r.IntN(4), false))
		r.calls = append(r.calls, name)
	}
}

func (r *randomHeader) param(name string, callbacks bool) string {
	name = strings.TrimSuffix(name, " ")
	switch k := r.IntN(20); {
	case k < 5:
		return r.pick(r.types) + " " + name
	case k < 8:
		return "struct " + r.pick(r.tags) + " *" + name
	case k < 9:
		return "const struct " + r.pick(r.whole) + " *" + name
	case k < 10:
		return "struct " + r.pick(r.tags) + " **" + name
	case k < 11:
		return r.pick(r.types) + " *" + name
	case k < 12:
		return "const char *" + name
	case k < 13:
		return "void *" + name
	case k < 14:
		return "void **" + name
	case k < 15:
		return "const void *" + name
	case k < 16:
		return "uint8_t " + name + "[16]"
	case k < 17:
		return "const uint8_t *" + name
	case k < 18:
		return "struct " + r.pick(r.whole) + " " + name
	case k < 19 && callbacks:
		return r.pick(r.calls) + " " + name
	}
	return "char *" + name
}

func (r *randomHeader) params(n int, callbacks bool) string {
	var list []string
	used := map[string]bool{}
	for range n {
		name := r.pick(awkward)
		if used[name] && name != "" {
			name += "_" + strconv.Itoa(len(list))
		}
		used[name] = true
		list = append(list, r.param(name, callbacks))
	}
	return strings.Join(list, ", ")
}

func (r *randomHeader) text() string {
	r.printf("#ifndef DOCA_RND_H_\n#define DOCA_RND_H_\n#include <doca_buf.h>\n#include <doca_error.h>\n#include <doca_types.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n")
	r.declareTypes()
	verbs := []string{"create", "destroy", "start", "stop", "set_conf", "get", "cap_get", "cap_is", "alloc_init", "register", "query_list", "as_task", "String"}
	for range 80 {
		ret := r.pick([]string{"doca_error_t", "doca_error_t", "doca_error_t", "void", "const char *", "uint32_t", "struct " + r.pick(r.tags) + " *", "void *", r.pick(r.types), "struct " + r.pick(r.whole)})
		stem := r.pick(r.tags)
		r.n++
		r.printf("/** @brief Does %d. @return %s */\n%s %s_%s%d(%s);\n", r.n, ret, ret, stem, r.pick(verbs), r.n, r.params(r.IntN(6), true))
	}
	for i := range 4 {
		r.task(fmt.Sprintf("doca_rnd_ctx%d", i))
	}
	r.printf("enum doca_rnd_clash { DOCA_RND_OBJ1, DOCA_RND_CLASH, DOCA_RND_CTX0_CREATE, DOCA_RND_Clash_ };\n#define DOCA_RND_STRING \"a\\tb\\101\"\n#define DOCA_RND_CAPABILITIES 3\n#define DOCA_RND_MAX 0xffffffffffffffffull\n#define DOCA_RND_HALF 0.5\n")
	r.printf("#endif\n")
	return r.b.String()
}

// task writes a context and the functions of a kind of task, some of which may be missing.
func (r *randomHeader) task(ctx string) {
	task := ctx + "_task_do"
	r.printf("struct %s;\nstruct %s;\nstruct doca_task;\nstruct doca_ctx;\nstruct doca_buf;\n", ctx, task)
	cb := task + "_completion_cb_t"
	r.printf("typedef void (*%s)(struct %s *task, union doca_data task_user_data, union doca_data ctx_user_data);\n", cb, task)
	r.printf("doca_error_t %s_create(struct %s **x);\n", ctx, ctx)
	r.printf("struct doca_ctx *%s_as_ctx(struct %s *x);\n", ctx, ctx)
	r.printf("struct doca_task *%s_%s(struct %s *task);\n", task, r.pick([]string{"as_task", "as_doca_task"}), task)
	if r.IntN(8) > 0 {
		r.printf("doca_error_t %s_set_conf(struct %s *x, %s task_completion_cb, %s task_error_cb, uint32_t num_tasks);\n", task, ctx, cb, cb)
	}
	var init []string
	for i := range r.IntN(4) {
		p := r.pick([]string{"struct doca_buf *src%d", "const struct doca_buf *dst%d", "uint32_t num%d", "const struct %[2]s *peer%[1]d", "uint64_t *where%d", "doca_rnd_handle_t h%d", "enum doca_rnd_clash_arg e%d"})
		if strings.Contains(p, "clash_arg") {
			p = r.types[0] + " e%d"
		}
		if strings.Contains(p, "[2]") {
			p = fmt.Sprintf(p, i, r.tags[0])
		} else {
			p = fmt.Sprintf(p, i)
		}
		init = append(init, p)
		word := p[strings.LastIndexAny(p, " *")+1:]
		if r.IntN(4) > 0 {
			r.printf("void %s_set_%s(struct %s *task, %s);\n", task, word, task, p)
		}
		if r.IntN(3) > 0 {
			r.printf("%s %s_get_%s(const struct %s *task);\n", strings.TrimSuffix(p, word), task, word, task)
		}
	}
	if r.IntN(2) > 0 {
		r.printf("uint32_t %s_get_result_len(const struct %s *task);\nconst uint8_t *%s_get_imm(const struct %s *task);\n", task, task, task, task)
	}
	args := append([]string{"struct " + ctx + " *x"}, init...)
	if r.IntN(3) == 0 {
		args = append(args, "const void *msg, uint32_t len")
	}
	r.printf("doca_error_t %s_%s(%s, union doca_data user_data, struct %s **task);\n", task, r.pick([]string{"alloc_init", "allocate_init"}), strings.Join(args, ", "), task)
}

// What gcc compiles gives bindings that compile, whatever it is; what cannot be bound has a reason.
func TestRandomHeaders(t *testing.T) {
	t.Parallel()
	seeds := 2
	if n, err := strconv.Atoi(os.Getenv("DOCA_RANDOM_HEADERS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			sdk := t.TempDir()
			require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
			header := filepath.Join(sdk, "doca_rnd.h")
			text := (&randomHeader{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}).text()
			require.NoError(t, os.WriteFile(header, []byte(text), 0o644))
			out, err := exec.Command("gcc", "-fsyntax-only", "-w", "-I", sdk, header).CombinedOutput()
			require.NoError(t, err, string(out))
			dir := filepath.Join(t.TempDir(), "out")
			status, said, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-out", dir, "-libs", "rnd")
			require.Zero(t, status, errOut)
			assert.Regexp(t, `rnd: bound \d+`, said)
			for _, args := range [][]string{{"vet", "./rnd"}, {"test", "./rnd"}} {
				cmd := exec.Command("go", args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				assert.NoError(t, err, "go %v\n%s\n%s", args, out, text)
			}
		})
	}
}
