package apidiff

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is told of a struct is what the C compiler makes of it, not how its text differs.
func TestRecords(t *testing.T) {
	t.Parallel()
	record := func(kind, body string) string {
		return "doca_x.h | doca_s | " + kind + " | - | x: type S | " + kind + " doca_s " + body
	}
	in := func(members string) string {
		return "doca_x.h | doca_in | struct | - | x: type In | struct doca_in { " + members + " }"
	}
	for name, c := range map[string]struct {
		old, new []string
		class    Class // empty: no difference
		breaks   string
		kinds    string
		details  []string
	}{
		"bit-fields": {
			old: []string{record("struct", "{ uint32_t a : 3; uint32_t b : 5; uint32_t : 0; uint16_t c; }")},
			new: []string{record("struct", "{ uint32_t a : 3; uint32_t b : 5; uint32_t : 0; uint16_t c; }")},
		},
		"bit-field wider": {
			old:   []string{record("struct", "{ uint32_t a : 3; uint32_t b : 5; uint16_t c; }")},
			new:   []string{record("struct", "{ uint32_t a : 4; uint32_t b : 5; uint16_t c; }")},
			class: Breaking, breaks: "c go", kinds: "layout",
			details: []string{"member a is uint32_t : 4, was uint32_t : 3", "member b is at bit 4, was at bit 3"},
		},
		"bit-field added in the room that was left": {
			old:   []string{record("struct", "{ uint32_t a : 3; uint16_t c; }")},
			new:   []string{record("struct", "{ uint32_t a : 3; uint32_t b : 1; uint16_t c; }")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"member b (uint32_t : 1) is new, at bit 3"},
		},
		"anonymous unions": {
			old: []string{record("struct", "{ union { uint32_t a; struct { uint16_t lo; uint16_t hi; }; }; union { uint8_t x; uint8_t y; }; uint32_t z; }")},
			new: []string{record("struct", "{ union { uint32_t a; struct { uint16_t lo; uint16_t hi; }; }; union { uint8_t x; uint8_t y; }; uint32_t z; }")},
		},
		"anonymous unions, the other order": {
			old:   []string{record("struct", "{ union { uint32_t a; uint16_t lo; }; union { uint8_t x; uint8_t y; }; }")},
			new:   []string{record("struct", "{ union { uint8_t x; uint8_t y; }; union { uint32_t a; uint16_t lo; }; }")},
			class: Breaking, breaks: "c go", kinds: "layout",
			details: []string{"member a is at byte 4, was at byte 0", "member lo is at byte 4, was at byte 0", "member x is at byte 0, was at byte 4", "member y is at byte 0, was at byte 4"},
		},
		"in an anonymous struct now": {
			old:   []string{record("struct", "{ uint32_t a; uint32_t b; }")},
			new:   []string{record("struct", "{ union { struct { uint32_t a; uint32_t b; }; }; }")},
			class: Compatible, kinds: "spelling", details: []string{"declared in another way; the C compiler puts each member where it was"},
		},
		"flags from 8 to 16 bits": {
			old:   []string{record("struct", "{ int type; union { struct { uint8_t flags; uint32_t *queues; int n; }; struct { uint16_t port; }; }; }")},
			new:   []string{record("struct", "{ int type; union { struct { uint16_t flags; uint32_t *queues; int n; }; struct { uint16_t port; }; }; }")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"member flags is uint16_t, was uint8_t"},
		},
		"a typedef of another width": {
			old:   []string{record("struct", "{ doca_w_t w; uint8_t a; uint8_t b; uint8_t c; }"), "doca_x.h | doca_w_t | typedef | - | x: type W | typedef uint8_t doca_w_t"},
			new:   []string{record("struct", "{ doca_w_t w; uint8_t a; uint8_t b; uint8_t c; }"), "doca_x.h | doca_w_t | typedef | - | x: type W | typedef uint16_t doca_w_t"},
			class: Breaking, breaks: "c go", kinds: "layout",
			details: []string{"member w is doca_w_t, was doca_w_t (2 bytes, were 1)", "3 members moved by +1 bytes: a to c", "6 bytes, were 4", "aligned to 2 bytes, was to 1"},
		},
		"the struct inside has grown": {
			old:   []string{record("struct", "{ struct doca_in in; uint32_t a; }"), in("uint32_t x;")},
			new:   []string{record("struct", "{ struct doca_in in; uint32_t a; }"), in("uint32_t x; uint32_t y;")},
			class: Breaking, breaks: "c go", kinds: "layout",
			details: []string{"member in is struct doca_in, was struct doca_in (8 bytes, were 4)", "member a is at byte 8, was at byte 4", "12 bytes, were 8"},
		},
		"untagged struct of a member": {
			old:   []string{record("struct", "{ struct { uint8_t p; uint32_t q; } in[2]; }")},
			new:   []string{record("struct", "{ struct { uint8_t p; uint8_t r; uint32_t q; } in[2]; }")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"member in[].r (uint8_t) is new, at byte 1"},
		},
		"reserved bytes have a name now": {
			old:   []string{record("struct", "{ uint32_t a; uint32_t reserved; }")},
			new:   []string{record("struct", "{ uint32_t a; uint32_t flags; }")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"member reserved is called flags"},
		},
		"bool": {
			old:   []string{record("struct", "{ bool on; }")},
			new:   []string{record("struct", "{ uint8_t on; }")},
			class: Breaking, breaks: "go", kinds: "layout", details: []string{"member on is uint8_t, was bool: another type in Go"},
		},
		"union": {
			old:   []string{record("union", "{ uint32_t a; uint8_t b; }")},
			new:   []string{record("union", "{ uint8_t b; uint32_t a; }")},
			class: Compatible, kinds: "spelling", details: []string{"declared in another way; the C compiler puts each member where it was"},
		},
		"packed": {
			old:   []string{record("struct", "{ uint8_t a; uint32_t b; } size 8")},
			new:   []string{record("struct", "{ uint8_t a; uint32_t b; } __attribute__((packed)) size 5")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"member b is at byte 1, was at byte 4", "5 bytes, were 8", "aligned to 1 byte, was to 4"},
		},
		"a type that no header declares": {
			old:   []string{record("struct", "{ struct foreign f; uint8_t a; uint8_t b; }")},
			new:   []string{record("struct", "{ struct foreign f; uint8_t b; uint8_t a; }")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"member a is the last, was the second", "member b is the second, was the last"},
		},
		"not understood": {
			old:   []string{record("struct", "{ uint8_t a;")},
			new:   []string{record("struct", "{ uint16_t a;")},
			class: Breaking, breaks: "c go", kinds: "layout", details: []string{"struct doca_s { uint16_t a;, was struct doca_s { uint8_t a;"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ch *Change
			r := Compare(made(t, c.old...), made(t, c.new...))
			for i := range r.Changes {
				if r.Changes[i].Name == "doca_s" {
					ch = &r.Changes[i]
				}
			}
			if c.class == "" {
				assert.Nil(t, ch)
				return
			}
			require.NotNil(t, ch)
			assert.Equal(t, c.class, ch.Class)
			assert.Equal(t, c.breaks, joined(ch.Breaks))
			assert.Equal(t, c.kinds, joined(ch.Kinds))
			assert.Equal(t, c.details, ch.Details)
		})
	}
}

func joined[T ~string](list []T) (s string) {
	for i, x := range list {
		if i > 0 {
			s += " "
		}
		s += string(x)
	}
	return s
}
