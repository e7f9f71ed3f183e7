package apidiff

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// addGo adds the incompatible changes of the Go packages: to the symbol they come from where that
// can be told, else to one change for the package.
func (c *comparison) addGo(r *Report, old, new *goPackages) error {
	a, err := old.check("generated/", c.libraries)
	if err != nil {
		return fmt.Errorf("OLD: %w", err)
	}
	b, err := new.check("generated/", nil)
	if err != nil {
		return fmt.Errorf("NEW: %w", err)
	}
	x := newIndex(c, r)
	rest := map[string][]string{}
	for _, lib := range slices.Sorted(maps.Keys(a)) {
		if b[lib] == nil && new.baseOf() != "" {
			continue
		}
		if b[lib] == nil {
			rest[lib] = append(rest[lib], "package removed")
			continue
		}
		for _, ch := range apidiff.Changes(a[lib], b[lib]).Changes {
			if ch.Compatible || ofTheVersion.MatchString(ch.Message) {
				continue
			}
			text := strings.ReplaceAll(ch.Message, "generated/", "")
			if i := x.find(c, lib, ch.Message, old, new); i >= 0 {
				x.attach(&r.Changes[i], text)
			} else {
				rest[lib] = append(rest[lib], text)
			}
		}
	}
	for lib, texts := range rest {
		slices.Sort(texts)
		r.Changes = append(r.Changes, Change{
			ID: "package-" + lib, Class: Breaking, Breaks: []string{ForGo}, Kinds: []Kind{GoChanged}, Symbol: Package, Name: lib, Library: lib,
			Means: "What the generator adds to the C API changed: uses of these names must be checked.", GoAPI: slices.Compact(texts),
		})
	}
	for i := range r.Changes {
		slices.Sort(r.Changes[i].GoAPI)
		r.Changes[i].GoAPI = slices.Compact(r.Changes[i].GoAPI)
	}
	r.finish()
	return nil
}

// ofTheVersion are changes that each version has: of its name, and of the numbers of callbacks, which
// programs do not write.
var ofTheVersion = regexp.MustCompile(`^(BindingsVersion|BindingsRelease|Kind\w+): value changed `)

// index finds the change that a Go or C name belongs to.
type index struct {
	goNames, cNames map[string]int
	vague           map[int]bool // what is derived from a symbol does not come from these
}

// newIndex finds changes by the Go and the C names of their symbols.
func newIndex(c *comparison, r *Report) *index {
	x := &index{map[string]int{}, map[string]int{}, map[int]bool{}}
	at := map[string]int{} // C names on both sides
	for i, ch := range r.Changes {
		x.vague[i] = ch.Has(Added) || ch.Symbol == Prefix
		for _, n := range []string{ch.Name, ch.Was} {
			if n != "" && ch.Symbol != Prefix {
				at[n] = i
			}
		}
		for _, m := range ch.Members {
			for _, n := range []string{m.Old, m.New} {
				if n != "" {
					at[n] = i
				}
			}
		}
	}
	x.cNames = at
	for _, l := range []*ledger.Ledger{c.old, c.new} {
		for i := range l.Symbols {
			s := &l.Symbols[i]
			lib := s.Library
			if l == c.old {
				lib = c.library(s)
			}
			owner, _, _ := strings.Cut(s.Name, "(")
			for _, n := range []string{s.Name, owner} {
				if ch, ok := at[n]; ok && s.Go != "" {
					if _, taken := x.goNames[lib+"."+goName(s.Go)]; !taken {
						x.goNames[lib+"."+goName(s.Go)] = ch
					}
					break
				}
			}
		}
	}
	return x
}

// changed is the name that a message of apidiff begins with: "Create", "(*Ring).Each", "Record.User".
var changed = regexp.MustCompile(`^(?:\./)?\(?\*?([A-Za-z_]\w*)\)?(?:\.([A-Za-z_]\w*))?`)

var cName = regexp.MustCompile(`\b(?:doca|DOCA)_\w+`)

// find is the place of the change that a message comes from, or -1.
func (x *index) find(c *comparison, lib, message string, old, new *goPackages) int {
	m := changed.FindStringSubmatch(message)
	if m == nil {
		return -1
	}
	if i, ok := x.goNames[lib+"."+m[1]]; ok {
		return i
	}
	name := m[1]
	if m[2] != "" {
		name += "." + m[2]
	}
	was := lib
	for from, to := range c.libraries {
		if to == lib {
			was = from
		}
	}
	for _, doc := range []string{old.docs[was+"."+name], new.docs[lib+"."+name]} { // the comment says what it stands on
		for _, n := range cName.FindAllString(doc, -1) {
			if i, ok := x.cNames[n]; ok && !x.vague[i] {
				return i
			}
		}
	}
	for n := len(m[1]) - 1; n > 0; n-- { // TaskSendItem is made for TaskSend
		if i, ok := x.goNames[lib+"."+m[1][:n]]; ok && !x.vague[i] && m[1][n] >= 'A' && m[1][n] <= 'Z' {
			return i
		}
	}
	return -1
}

// attach adds a message. A break that C's declarations did not show is one all the same; the
// value of a constant has been judged with its symbol.
func (x *index) attach(ch *Change, message string) {
	ch.GoAPI = append(ch.GoAPI, message)
	if slices.Contains(ch.Breaks, ForGo) || strings.Contains(message, "value changed") {
		return
	}
	ch.add(aspect{kind: GoChanged, class: Breaking, breaks: ForGo})
	if ch.Means == nothingToDo || ch.Means == goUnchanged {
		ch.Means = "Check the uses of its Go form."
	}
}
