package apidiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// made makes a ledger of lines as files have them.
func made(t testing.TB, lines ...string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Read(strings.NewReader("# DOCA 1.0: x\n" + strings.Join(lines, "\n") + "\n"))
	require.NoError(t, err)
	return l
}

// fn is the line of a function of library x.
func fn(prototype, goForm string) string { return fnOf("stable", prototype, goForm) }

func fnOf(stability, prototype, goForm string) string {
	open := strings.Index(prototype, "(")
	name := prototype[strings.LastIndexAny(prototype[:open], " *")+1 : open]
	return fmt.Sprintf("doca_x.h | %s | function | %s | x: %s | %s", name, stability, goForm, prototype)
}

func enumLines(tag string, values ...any) []string {
	out := []string{fmt.Sprintf("doca_x.h | %s | enum | - | x: type %s | enum %s", tag, tag, tag)}
	for i := 0; i < len(values); i += 2 {
		out = append(out, fmt.Sprintf("doca_x.h | %s | enumerator | - | x: const %s %s | enum %s: %d", values[i], values[i], tag, tag, values[i+1]))
	}
	return out
}

func TestChanges(t *testing.T) {
	t.Parallel()
	start := fn("doca_error_t doca_x_start(struct doca_x *x)", "func Start(x *X) (err error)")
	for name, c := range map[string]struct {
		old, new []string
		class    Class
		breaks   string
		kinds    string
		title    string
		details  []string
		means    string
		members  []Member
	}{
		"added": {
			new:   []string{start},
			class: Addition, kinds: "added", title: "doca_x_start (function)", means: "x.Start is new.",
		},
		"added without Go": {
			new:   []string{fn("void doca_x_log(const char *f, ...)", "-")},
			class: Addition, kinds: "added", means: "It has no Go declaration.",
		},
		"removed": {
			old:   []string{start},
			class: Breaking, breaks: "c go", kinds: "removed", means: "x.Start no longer exists: code that uses it does not compile.",
		},
		"removed without Go": {
			old:   []string{fn("void doca_x_log(const char *f, ...)", "-")},
			class: Breaking, breaks: "c", kinds: "removed", means: "It had no Go declaration. C programs that use it no longer build.",
		},
		"renamed": {
			old:   []string{fn("doca_error_t doca_x_get_device_repr(struct doca_x *x)", "func GetDeviceRepr(x *X) (err error)")},
			new:   []string{fn("doca_error_t doca_x_get_device_rep(struct doca_x *x)", "func GetDeviceRep(x *X) (err error)")},
			class: Breaking, breaks: "c go", kinds: "renamed", title: "doca_x_get_device_repr -> doca_x_get_device_rep (function)",
			means: "Use x.GetDeviceRep instead of x.GetDeviceRepr.",
		},
		"renamed without Go": {
			old:   []string{fn("void doca_x_log_with_buffer(char *b)", "-")},
			new:   []string{fn("void doca_x_log_with_buf(char *b)", "-")},
			class: Breaking, breaks: "c", kinds: "renamed", means: "No Go name changes. C programs must use the new name.",
		},
		"renamed, other signature": {
			old:   []string{fn("doca_error_t doca_x_cap_get_max_log_num_tasks(size_t *n)", "func CapGetMaxLogNumTasks() (n uint64, err error)")},
			new:   []string{fn("doca_error_t doca_x_cap_get_max_num_tasks(uint32_t *n)", "func CapGetMaxNumTasks() (n uint32, err error)")},
			class: Breaking, breaks: "c go", kinds: "renamed signature", details: []string{"parameter n is uint32_t *, was size_t *"},
			means: "Use x.CapGetMaxNumTasks instead of x.CapGetMaxLogNumTasks. Change its calls: it is now func CapGetMaxNumTasks() (n uint32, err error).",
		},
		"words in another order": {
			old:   []string{fn("doca_error_t doca_x_app_name_get(struct doca_x *x)", "func AppNameGet(x *X) (err error)")},
			new:   []string{fn("doca_error_t doca_x_app_get_name(struct doca_x *x)", "func AppGetName(x *X) (err error)")},
			class: Breaking, breaks: "c go", kinds: "renamed", means: "Use x.AppGetName instead of x.AppNameGet.",
		},
		"parameter added in front": {
			old:   []string{fn("doca_error_t doca_x_send(struct doca_x *x, uint32_t len)", "func Send(x *X, length uint32) (err error)")},
			new:   []string{fn("doca_error_t doca_x_send(struct doca_x *x, struct doca_conn *conn, uint32_t len)", "func Send(x *X, conn *Conn, length uint32) (err error)")},
			class: Breaking, breaks: "c go", kinds: "signature", details: []string{"parameter conn (struct doca_conn *) is new, second"},
			means: "Change its calls: it is now func Send(x *X, conn *Conn, length uint32) (err error).",
		},
		"parameter removed": {
			old:   []string{fn("doca_error_t doca_x_create(struct doca_dev *dev, struct doca_app *app, struct doca_x **x)", "func Create(dev *Dev, app *App) (x *X, err error)")},
			new:   []string{fn("doca_error_t doca_x_create(struct doca_dev *dev, struct doca_x **x)", "func Create(dev *Dev) (x *X, err error)")},
			class: Breaking, breaks: "c go", kinds: "signature", details: []string{"parameter app (struct doca_app *, second) is gone"},
			means: "Change its calls: it is now func Create(dev *Dev) (x *X, err error).",
		},
		"parameters in another order": {
			old:   []string{fn("void doca_x_copy(struct doca_buf *dst, struct doca_mmap *src)", "func Copy(dst *Buf, src *Mmap)")},
			new:   []string{fn("void doca_x_copy(struct doca_mmap *src, struct doca_buf *dst)", "func Copy(src *Mmap, dst *Buf)")},
			class: Breaking, breaks: "c go", kinds: "signature", details: []string{"parameter dst is last, was first"},
			means: "Change its calls: it is now func Copy(src *Mmap, dst *Buf).",
		},
		"parameter that Go does not tell apart": {
			old:   []string{fn("void doca_x_put(struct doca_x *x, struct doca_a *p)", "func Put(x *X, p unsafe.Pointer)")},
			new:   []string{fn("void doca_x_put(struct doca_x *x, struct doca_b *p)", "func Put(x *X, p unsafe.Pointer)")},
			class: Breaking, breaks: "c", kinds: "signature", details: []string{"parameter p is struct doca_b *, was struct doca_a *"},
			means: "Go calls need no change, but bindings generated from OLD must not call NEW's library.",
		},
		"result": {
			old:   []string{fn("void doca_x_stop(struct doca_x *x)", "func Stop(x *X)")},
			new:   []string{fn("doca_error_t doca_x_stop(struct doca_x *x)", "func Stop(x *X) (err error)")},
			class: Breaking, breaks: "c go", kinds: "signature", details: []string{"the result is doca_error_t, was void"},
			means: "Change its calls: it is now func Stop(x *X) (err error).",
		},
		"variadic": {
			old:   []string{fn("void doca_x_log(const char *format)", "-")},
			new:   []string{fn("void doca_x_log(const char *format, ...)", "-")},
			class: Breaking, breaks: "c", kinds: "signature", details: []string{"parameter ... (...) is new, last"},
			means: "It has no Go declaration. C programs must change their calls.",
		},
		"const and names": {
			old:   []string{fn("doca_error_t doca_x_get(struct doca_x *x, uint32_t *num)", "func Get(x *X) (num uint32, err error)")},
			new:   []string{fn("doca_error_t doca_x_get(const struct doca_x *x, uint32_t *n)", "func Get(x *X) (n uint32, err error)")},
			class: Compatible, kinds: "spelling", means: "Nothing to do.",
			details: []string{"parameter x is spelled const struct doca_x *, was struct doca_x *", "parameter num is called n"},
		},
		"typedef of the same type": {
			old:   []string{fn("void doca_x_go(uint64_t h)", "func Go(h uint64)"), "doca_x.h | doca_h_t | typedef | - | x: type H | typedef uint64_t doca_h_t"},
			new:   []string{fn("void doca_x_go(doca_h_t h)", "func Go(h uint64)"), "doca_x.h | doca_h_t | typedef | - | x: type H | typedef uint64_t doca_h_t"},
			class: Compatible, kinds: "spelling", means: "Nothing to do.", details: []string{"parameter h is spelled doca_h_t, was uint64_t"},
		},
		"only Go differs": {
			old:   []string{fn("void doca_x_go(uint64_t h)", "func Go(h uint64)")},
			new:   []string{fn("void doca_x_go(uint64_t h)", "func Go(h Handle)")},
			class: Breaking, breaks: "go", kinds: "go", means: "Change the uses of x.Go: it is now func Go(h Handle).",
			details: []string{"in Go func Go(h Handle), was func Go(h uint64)"},
		},
		"bool is a byte": {
			old:   []string{fn("doca_error_t doca_x_set(struct doca_x *x, bool on)", "func Set(x *X, on bool) (err error)")},
			new:   []string{fn("doca_error_t doca_x_set(struct doca_x *x, uint8_t on)", "func Set(x *X, on uint8) (err error)")},
			class: Breaking, breaks: "go", kinds: "signature", details: []string{"parameter on is spelled uint8_t, was bool"},
			means: "Change its calls: it is now func Set(x *X, on uint8) (err error).",
		},
		"Go name": {
			old:   []string{fn("void doca_x_go(uint64_t h)", "func Go(h uint64)")},
			new:   []string{fn("void doca_x_go(uint64_t h)", "func GO(h uint64)")},
			class: Breaking, breaks: "go", kinds: "go", means: "Use x.GO instead of x.Go.", details: []string{"in Go x.GO, was x.Go"},
		},
		"no longer bound": {
			old:   []string{start},
			new:   []string{fn("doca_error_t doca_x_start(struct doca_x *x)", "-")},
			class: Breaking, breaks: "go", kinds: "unbound", details: []string{"x.Start is no longer generated"},
			means: "x.Start is no longer generated (api/skipped.txt says why): code that uses it does not compile.",
		},
		"bound": {
			old:   []string{fn("doca_error_t doca_x_start(struct doca_x *x)", "-")},
			new:   []string{start},
			class: Addition, kinds: "bound", details: []string{"x.Start is generated now"}, means: "x.Start can be used now.",
		},
		"promoted": {
			old:   []string{fnOf("experimental", "void doca_x_go(int a)", "func Go(a int32)")},
			new:   []string{fnOf("stable", "void doca_x_go(int a)", "func Go(a int32)")},
			class: Compatible, kinds: "promoted", details: []string{"stable, was experimental"}, means: "DOCA's promise of stability covers it now.",
		},
		"demoted": {
			old:   []string{fnOf("stable", "void doca_x_go(int a)", "func Go(a int32)")},
			new:   []string{fnOf("experimental", "void doca_x_go(int a)", "func Go(a int32)")},
			class: Compatible, kinds: "demoted", details: []string{"experimental, was stable"}, means: "It may change in any release.",
		},
		"deprecated": {
			old:   []string{fnOf("stable", "void doca_x_go(int a)", "func Go(a int32)")},
			new:   []string{fnOf("deprecated", "void doca_x_go(int a)", "func Go(a int32)")},
			class: Compatible, kinds: "deprecated", details: []string{"deprecated, was stable"}, means: "It still works; look for its replacement.",
		},
		"no longer deprecated": {
			old:   []string{fnOf("deprecated", "void doca_x_go(int a)", "func Go(a int32)")},
			new:   []string{fnOf("stable", "void doca_x_go(int a)", "func Go(a int32)")},
			class: Compatible, kinds: "undeprecated", details: []string{"stable, was deprecated"}, means: "Nothing to do.",
		},
		"header": {
			old:   []string{start},
			new:   []string{strings.Replace(start, "doca_x.h", "doca_y.h", 1)},
			class: Compatible, kinds: "header", details: []string{"declared in doca_y.h, was in doca_x.h"}, means: "Nothing to do.",
		},
		"function to inline": {
			old:   []string{start},
			new:   []string{strings.Replace(start, "function | stable", "inline | -", 1)},
			class: Breaking, breaks: "c", kinds: "kind", details: []string{"an inline function, was a function", "the library no longer exports it"},
			means: "Go code needs no change, but bindings generated from OLD do not find it in NEW's library.",
		},
		"inline to function": {
			old:   []string{strings.Replace(start, "function | stable", "inline | -", 1)},
			new:   []string{start},
			class: Compatible, kinds: "kind", details: []string{"a function, was an inline function"}, means: "Go code needs no change.",
		},
		"object to struct": {
			old:   []string{"doca_x.h | doca_x_s | object | - | x: type S | struct doca_x_s"},
			new:   []string{"doca_x.h | doca_x_s | struct | - | x: type S | struct doca_x_s { int a } size 4"},
			class: Compatible, kinds: "kind", details: []string{"a complete struct, was an object without members"}, means: "Go code needs no change.",
		},
		"struct to object": {
			old:   []string{"doca_x.h | doca_x_s | struct | - | x: type S | struct doca_x_s { int a } size 4"},
			new:   []string{"doca_x.h | doca_x_s | object | - | x: type S | struct doca_x_s"},
			class: Breaking, breaks: "c go", kinds: "kind", details: []string{"an object without members, was a complete struct"},
			means: "Check the uses of x.S: it is now an object without members.",
		},
		"macro to enumerator": {
			old:   append(enumLines("doca_k", "DOCA_K_A", 0), "doca_x.h | DOCA_K_B | macro | - | x: const DOCA_K_B | 1"),
			new:   enumLines("doca_k", "DOCA_K_A", 0, "DOCA_K_B", 1),
			class: Compatible, kinds: "kind", details: []string{"an enumerator, was a macro"}, means: "Go code needs no change.",
		},
		"macro": {
			old:   []string{"doca_x.h | DOCA_X_SIZE | macro | - | x: const Size | 128"},
			new:   []string{"doca_x.h | DOCA_X_SIZE | macro | - | x: const Size | 256"},
			class: Breaking, breaks: "c go", kinds: "value", details: []string{"256, was 128"}, means: "Check sizes and numbers that are written out in code.",
		},
		"macro that is C source": {
			old:   []string{"doca_x.h | DOCA_X_ATTR | macro | - | x: - | __attribute__((a))"},
			new:   []string{"doca_x.h | DOCA_X_ATTR | macro | - | x: - | __attribute__((b))"},
			class: Compatible, kinds: "value", means: "Nothing to do.",
			details: []string{"__attribute__((b)), was __attribute__((a))", "C source that no binding uses"},
		},
		"version": {
			old:   []string{"doca_x.h | DOCA_VERSION_MAJOR | macro | - | x: const VersionMajor | 2"},
			new:   []string{"doca_x.h | DOCA_VERSION_MAJOR | macro | - | x: const VersionMajor | 3"},
			class: Compatible, kinds: "value", details: []string{"3, was 2"}, means: "Nothing to do.",
		},
		"typedef of another type": {
			old:   []string{"doca_x.h | doca_h_t | typedef | - | x: type H | typedef uint32_t doca_h_t"},
			new:   []string{"doca_x.h | doca_h_t | typedef | - | x: type H | typedef uint64_t doca_h_t"},
			class: Breaking, breaks: "c", kinds: "signature", details: []string{"typedef uint32_t doca_h_t is now typedef uint64_t doca_h_t"},
			means: "Functions that take it are listed separately. C code of this type must change.",
		},
		"callback type": {
			old:   []string{"doca_x.h | doca_cb_t | typedef | - | x: - | typedef void (*doca_cb_t)(struct doca_x *x, bool ok)"},
			new:   []string{"doca_x.h | doca_cb_t | typedef | - | x: - | typedef void (*doca_cb_t)(struct doca_x *x, uint32_t ok)"},
			class: Breaking, breaks: "c", kinds: "signature", details: []string{"parameter ok is uint32_t, was bool"},
			means: "Functions that take it are listed separately. C code of this type must change.",
		},
		"callback removed": {
			old: []string{fn("void doca_x_reg(int a)", "func Reg(a int32)"),
				"doca_x.h | doca_x_reg(cb) | callback | - | x: const KindReg = 0x1 | doca_cb_t"},
			new:   []string{fn("void doca_x_reg(int a)", "func Reg(a int32)")},
			class: Breaking, breaks: "c go", kinds: "signature", details: []string{"callback cb no longer exists"},
			means:   "Change its calls: it is now func Reg(a int32).",
			members: []Member{{Old: "doca_x_reg(cb)", Note: "x.KindReg"}},
		},
		"values inserted in front": {
			old:   enumLines("doca_k", "DOCA_K_4", 0, "DOCA_K_8", 1),
			new:   enumLines("doca_k", "DOCA_K_1", 0, "DOCA_K_2", 1, "DOCA_K_4", 2, "DOCA_K_8", 3),
			class: Breaking, breaks: "c go", kinds: "values", title: "doca_k (enum)",
			details: []string{"enumerators: 2 moved, 2 added", "all of them moved by +2: values were added or removed before them"},
			means:   "Recompile Go code that uses the names. Numbers that are written out in code, stored or sent have a different meaning now.",
			members: []Member{{New: "DOCA_K_1", Note: "= 0, added"}, {New: "DOCA_K_2", Note: "= 1, added"},
				{"DOCA_K_4", "DOCA_K_4", "= 2, was 0"}, {"DOCA_K_8", "DOCA_K_8", "= 3, was 1"}},
		},
		"value added behind": {
			old:   enumLines("doca_k", "DOCA_K_A", 0, "DOCA_K_MAX", 1),
			new:   enumLines("doca_k", "DOCA_K_A", 0, "DOCA_K_B", 1, "DOCA_K_MAX", 2),
			class: Addition, kinds: "values", details: []string{"enumerators: 1 added, 1 end marker moved"}, means: "A switch over the values may meet new ones.",
			members: []Member{{New: "DOCA_K_B", Note: "= 1, added"}, {"DOCA_K_MAX", "DOCA_K_MAX", "= 2, was 1: it counts the others"}},
		},
		"value removed": {
			old:   enumLines("doca_k", "DOCA_K_A", 0, "DOCA_K_B", 1),
			new:   enumLines("doca_k", "DOCA_K_A", 0),
			class: Breaking, breaks: "c go", kinds: "values", details: []string{"enumerators: 1 removed"},
			means:   "Recompile Go code that uses the names. Numbers that are written out in code, stored or sent have a different meaning now.",
			members: []Member{{Old: "DOCA_K_B", Note: "was 1, removed"}},
		},
		"value renamed": {
			old:   enumLines("doca_k", "DOCA_K_GET_LENGTH", 0),
			new:   enumLines("doca_k", "DOCA_K_GET_LEN", 0),
			class: Breaking, breaks: "c go", kinds: "values", details: []string{"enumerators: 1 renamed"},
			means:   "Recompile Go code that uses the names. Numbers that are written out in code, stored or sent have a different meaning now.",
			members: []Member{{"DOCA_K_GET_LENGTH", "DOCA_K_GET_LEN", "= 0, renamed"}},
		},
		"enumeration added": {
			new:   enumLines("doca_k", "DOCA_K_A", 0),
			class: Addition, kinds: "added", means: "x.doca_k is new.", members: []Member{{New: "DOCA_K_A", Note: "= 0"}},
		},
		"packed": {
			old:   []string{"doca_x.h | doca_k | enum | - | x: type K | enum doca_k"},
			new:   []string{"doca_x.h | doca_k | enum | - | x: type K | enum doca_k __attribute__((packed))"},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"a value takes 1 byte, took 4"},
			means: "Check code that fills or reads x.K. Bindings generated from OLD have the old layout.",
		},
		"value that needs more bytes": {
			old:   enumLines("doca_k", "DOCA_K_A", 0),
			new:   enumLines("doca_k", "DOCA_K_A", 0, "DOCA_K_B", 1<<40),
			class: Breaking, breaks: "c go", kinds: "layout values", details: []string{"a value takes 8 bytes, took 4", "enumerators: 1 added"},
			means: "Check code that fills or reads x.doca_k. Bindings generated from OLD have the old layout. A switch over the values may meet new ones.",
		},
		"members": {
			old:   []string{"doca_x.h | doca_s | struct | - | x: type S | struct doca_s { int a; uint32_t b; char c[4] } size 12"},
			new:   []string{"doca_x.h | doca_s | struct | - | x: type S | struct doca_s { uint64_t b; int a; void (*f)(int) } size 24"},
			class: Breaking, breaks: "c go", kinds: "layout",
			details: []string{"member b is uint64_t, was uint32_t", "member c (char[4]) is gone", "member f (void (*)(int)) is new, at byte 16",
				"member a is at byte 8, was at byte 0", "member b is at byte 0, was at byte 4", "24 bytes, were 12", "aligned to 8 bytes, was to 4"},
			means: "Check code that fills or reads x.S. Bindings generated from OLD have the old layout.",
		},
		"members spelled otherwise": {
			old:   []string{"doca_x.h | doca_s | struct | - | x: type S | struct doca_s { char * a } size 8"},
			new:   []string{"doca_x.h | doca_s | struct | - | x: type S | struct doca_s { const char *a } size 8"},
			class: Compatible, kinds: "spelling", details: []string{"member a is spelled const char *, was char *"}, means: "Nothing to do.",
		},
		"members aligned otherwise": {
			old:   []string{"doca_x.h | doca_s | struct | - | x: - | struct doca_s { int a }"},
			new:   []string{"doca_x.h | doca_s | struct | - | x: - | struct doca_s __attribute__((packed)) { int a }"},
			class: Breaking, breaks: "c", kinds: "layout", details: []string{"aligned to 1 byte, was to 4"}, means: "Recompile C programs.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Compare(made(t, c.old...), made(t, c.new...))
			require.Len(t, r.Changes, 1)
			ch := r.Changes[0]
			assert.Equal(t, c.class, ch.Class)
			assert.Equal(t, c.breaks, strings.Join(ch.Breaks, " "))
			assert.Equal(t, c.kinds, strings.Trim(fmt.Sprint(ch.Kinds), "[]"))
			assert.Equal(t, c.details, ch.Details)
			assert.Equal(t, c.means, ch.Means)
			if c.title != "" {
				assert.Equal(t, c.title, ch.title())
			}
			if c.members != nil {
				assert.Equal(t, c.members, ch.Members)
			}
			assert.Equal(t, 1, r.Summary.Of(c.class))
		})
	}
}
