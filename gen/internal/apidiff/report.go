// Package apidiff compares the APIs of two SDK versions and says what each difference means for
// the Go programs that call them.
//
// What comes in are two sides, which an [Opener] makes of what the user names: a ledger, a directory of
// generated packages, an SDK, or a git revision (input.go, git.go). What goes out is a [Report], which is
// written as text, Markdown, JSON or one HTML page.
//
// match.go, prefix.go and rename.go pair up the symbols of the two ledgers: by name, by a new prefix of
// all names, by likeness. compare.go compares each pair (prototypes in proto.go and difference.go, members
// and values in values.go), and meaning.go says what that means for Go callers. goapi.go adds what
// golang.org/x/exp/apidiff finds in the generated packages, where both sides have them.
package apidiff

import (
	"cmp"
	"slices"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// Class is how bad a change is.
type Class string

// The classes of changes.
const (
	Breaking   Class = "breaking"   // a program that compiles or runs with OLD may not with NEW
	Addition   Class = "addition"   // there is more than before, and nothing else
	Compatible Class = "compatible" // programs go on as they are
)

// Classes are all classes, the worst first.
var Classes = []Class{Breaking, Addition, Compatible}

// Kind is one thing that happened to a symbol.
type Kind string

// The kinds of changes.
const (
	Removed      Kind = "removed"
	Renamed      Kind = "renamed"
	Signature    Kind = "signature"    // what a call passes or returns
	Layout       Kind = "layout"       // members or size of a struct or union
	Values       Kind = "values"       // enumerators moved, added, removed, renamed
	Value        Kind = "value"        // of a macro or of an enumerator without a tag
	KindChanged  Kind = "kind"         // function to inline, macro to enumerator, ...
	GoChanged    Kind = "go"           // the Go declaration, while C has the same
	Unbound      Kind = "unbound"      // had a Go declaration
	Bound        Kind = "bound"        // has a Go declaration now
	Added        Kind = "added"        //
	Spelling     Kind = "spelling"     // const, names of parameters, typedefs of the same type
	HeaderMoved  Kind = "header"       // declared elsewhere
	Promoted     Kind = "promoted"     // experimental to stable
	Demoted      Kind = "demoted"      // stable to experimental
	Deprecated   Kind = "deprecated"   //
	Undeprecated Kind = "undeprecated" // no longer deprecated
	Docs         Kind = "docs"         // nothing but the documentation
)

// Kinds are all kinds, in the order of reports.
var Kinds = []Kind{Removed, Renamed, Signature, Layout, Values, Value, KindChanged, GoChanged, Unbound, Bound, Added,
	Promoted, Demoted, Deprecated, Undeprecated, HeaderMoved, Spelling, Docs}

// What a change is about, besides the kinds of a ledger.
const (
	Prefix  ledger.Kind = "prefix"  // all names that begin in the same way
	Package ledger.Kind = "package" // a Go package
)

// Who can be broken by a change.
const (
	ForGo = "go" // Go programs that use the generated packages
	ForC  = "c"  // C programs, and bindings that were generated from OLD
)

// Report is the outcome of a comparison.
type Report struct {
	Old     Side     `json:"old"`
	New     Side     `json:"new"`
	Summary Summary  `json:"summary"`
	Notes   []string `json:"notes,omitempty"` // what could not be compared, and why
	Changes []Change `json:"changes"`
	// Libraries is what happened to a library as a whole: "only in OLD", "only in NEW", "was telemetry".
	Libraries map[string]string `json:"libraries,omitempty"`
}

// Side says what was compared.
type Side struct {
	Name    string `json:"name"`    // as on the command line
	Source  string `json:"source"`  // what it was taken for
	Version string `json:"version"` // of DOCA
	Symbols int    `json:"symbols"`
}

// Summary counts the changes. A change with several kinds counts for each of them.
type Summary struct {
	Breaking   int          `json:"breaking"`
	ForGo      int          `json:"breaking_for_go"` // of Breaking
	Addition   int          `json:"addition"`
	Compatible int          `json:"compatible"`
	Kinds      map[Kind]int `json:"kinds"`
}

// Of is the count of a class.
func (s Summary) Of(c Class) int {
	return map[Class]int{Breaking: s.Breaking, Addition: s.Addition, Compatible: s.Compatible}[c]
}

// Change is all that happened to one symbol, or to a group of symbols in the same way.
type Change struct {
	ID        string      `json:"id"` // "function-doca_dma_create": the same in each run
	Class     Class       `json:"class"`
	Breaks    []string    `json:"breaks,omitempty"` // "go", "c"
	Kinds     []Kind      `json:"kinds"`
	Symbol    ledger.Kind `json:"symbol"`
	Name      string      `json:"name"`          // in NEW; in OLD where it is removed
	Was       string      `json:"was,omitempty"` // in OLD, where renamed
	Library   string      `json:"library"`
	Header    string      `json:"header,omitempty"`
	Stability string      `json:"stability,omitempty"` // in NEW; in OLD where it is removed
	Old       *Form       `json:"old,omitempty"`
	New       *Form       `json:"new,omitempty"`
	Details   []string    `json:"details,omitempty"` // what is different, in words
	Means     string      `json:"means"`             // for Go callers
	Members   []Member    `json:"members,omitempty"`
	GoAPI     []string    `json:"go_api,omitempty"` // changes of the Go package that come from this: incompatible ones, but for an addition
}

// Form is a declaration on one side.
type Form struct {
	C  string `json:"c"`
	Go string `json:"go,omitempty"`
}

// Member is an enumerator, a callback of a function, or a symbol of a group.
type Member struct {
	Old  string `json:"old,omitempty"` // name; empty where it is new
	New  string `json:"new,omitempty"` // name; empty where it is removed
	Note string `json:"note,omitempty"`
}

// Has tells whether the change is of a kind.
func (c *Change) Has(k Kind) bool { return slices.Contains(c.Kinds, k) }

// aspect is one kind of change with its class.
type aspect struct {
	kind   Kind
	class  Class
	breaks string // ForGo, ForC or both: "go c"
	detail []string
}

const both = ForC + " " + ForGo

// add notes an aspect; the worst class is that of the change.
func (c *Change) add(a aspect) {
	if !c.Has(a.kind) {
		c.Kinds = append(c.Kinds, a.kind)
		slices.SortFunc(c.Kinds, func(x, y Kind) int { return cmp.Compare(slices.Index(Kinds, x), slices.Index(Kinds, y)) })
	}
	if c.Class == "" || slices.Index(Classes, a.class) < slices.Index(Classes, c.Class) {
		c.Class = a.class
	}
	for _, who := range []string{ForC, ForGo} {
		if (a.breaks == who || a.breaks == both) && !slices.Contains(c.Breaks, who) {
			c.Breaks = append(c.Breaks, who)
			slices.Sort(c.Breaks)
		}
	}
	c.Details = append(c.Details, a.detail...)
}

// finish sorts the changes and counts them.
func (r *Report) finish() {
	slices.SortFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Classes, a.Class), slices.Index(Classes, b.Class)),
			cmp.Compare(a.Library, b.Library),
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.ID, b.ID),
		)
	})
	r.Summary = Summary{Kinds: map[Kind]int{}}
	for _, c := range r.Changes {
		switch c.Class {
		case Breaking:
			r.Summary.Breaking++
		case Addition:
			r.Summary.Addition++
		default:
			r.Summary.Compatible++
		}
		if slices.Contains(c.Breaks, ForGo) {
			r.Summary.ForGo++
		}
		for _, k := range c.Kinds {
			r.Summary.Kinds[k]++
		}
	}
}

// rank puts groups in front, then the kinds in their order.
func rank(c Change) int {
	if c.Symbol == Prefix {
		return -1
	}
	return slices.Index(Kinds, c.Kinds[0])
}
