package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The records whose members a body uses, whether it is given them, gets them of a call, casts to them, or is led to them.
func TestOpenedRecords(t *testing.T) {
	t.Parallel()
	lib := build(t, `
		struct doca_in { int deep; };
		struct doca_out { struct doca_in *in; struct { int inner; }; struct { int x; } named; struct doca_out *next; };
		typedef struct { int bare; struct doca_in *more; } doca_bare_t;
		struct doca_odd { uint8_t odd; uint32_t : 3; uint8_t b; };
		struct doca_in *doca_made(void);
		static inline int doca_given(const struct doca_in *in) { return in->deep; }
		static inline int doca_led(const struct doca_out *out) { return out->next->in->deep; }
		static inline int doca_unnamed(struct doca_out out) { return out.inner; }
		static inline int doca_of_named(const struct doca_out *out) { return out->named.x; }
		static inline int doca_called(void) { return doca_made()->deep; }
		static inline int doca_cast(const void *p) { return ((const struct doca_in *)p)->deep; }
		static inline int doca_untagged(const doca_bare_t *bare) { return bare->more->deep; }
		static inline int doca_unused(const struct doca_out *out) { return out == NULL; }
		static inline int doca_not_bound(const struct doca_odd *odd) { return odd->odd; }`)
	opens := map[string][]string{}
	for _, f := range lib.Funcs {
		opens[f.CName] = f.Opens
	}
	in, out := "struct doca_in", "struct doca_out"
	assert.Equal(t, map[string][]string{
		"doca_made": nil, "doca_given": {in}, "doca_led": {in, out}, "doca_unnamed": {out}, "doca_of_named": {out},
		"doca_called": {in}, "doca_cast": {in}, "doca_untagged": {in, "doca_bare_t"}, "doca_unused": nil,
	}, opens)
	skipped := map[string]string{}
	for _, s := range lib.Skipped {
		skipped[s.Name] = s.Reason
	}
	assert.Equal(t, "static inline that uses members of struct doca_odd, which is not bound", skipped["doca_not_bound"])
}
