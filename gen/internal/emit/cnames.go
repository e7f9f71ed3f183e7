package emit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// The C of a package has names of its own, which all begin with godoca_: those of shims follow from functions of DOCA, others
// from the forms that are derived from these, and some belong to the package. Where a shim would have the name of something else,
// it gets a longer one.

// shimName is the C name of the shim for a DOCA function.
func (e *emitter) shimName(c string) string {
	if e.apart[c] {
		return "godoca_shim_" + c
	}
	return "godoca_" + strings.TrimPrefix(c, "doca_")
}

// cFiles emits the C of the current library, again with longer names of shims until no two names are the same.
func (e *emitter) cFiles() error {
	e.apart = map[string]bool{}
	for {
		if err := e.writeC(); err != nil {
			return err
		}
		clashes := e.clashingShims()
		if len(clashes) == 0 {
			return nil
		}
		for _, fn := range clashes {
			if e.apart[fn.CName] {
				return fmt.Errorf("%s:%d: %s has no name in C that is left for its shim", fn.C.Pos.File, fn.C.Pos.Line, fn.CName)
			}
			e.apart[fn.CName] = true
		}
	}
}

// clashingShims are the functions whose shims have the name of something else. The text of the C has the name of a shim once, where
// it is defined.
func (e *emitter) clashingShims() (clashes []*model.Func) {
	seen := map[string]int{}
	for _, name := range []string{"/shim.h", "/shim.c"} {
		for word := range strings.FieldsFuncSeq(string(e.files[e.lib.Name+name]), func(r rune) bool {
			return r != '_' && r < utf8.RuneSelf && !('a' <= r|0x20 && r|0x20 <= 'z') && !('0' <= r && r <= '9')
		}) {
			seen[word]++
		}
	}
	callers := map[string]bool{}
	for _, fn := range e.lib.Funcs {
		again := seen[e.shimName(fn.CName)] != 1
		for _, p := range goFuncs(fn) {
			name := e.goName(fn, p)
			again = again || callers[name]
			callers[name] = true
		}
		if again {
			clashes = append(clashes, fn)
		}
	}
	return clashes
}
