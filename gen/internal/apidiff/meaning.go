package apidiff

import (
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// subject is a change, as the conditions of meanings ask about it.
type subject struct {
	*Change
	was, is string // the Go names; empty where there is none
	kind    ledger.Kind
}

func (s subject) forGo() bool    { return slices.Contains(s.Breaks, ForGo) }
func (s subject) forC() bool     { return slices.Contains(s.Breaks, ForC) }
func (s subject) breaking() bool { return s.Class == Breaking }
func (s subject) hadGo() bool    { return s.was != "" }
func (s subject) hasGo() bool    { return s.is != "" }
func (s subject) noGo() bool     { return s.is == "" }
func (s subject) sameGo() bool   { return s.was == s.is }
func (s subject) otherGo() bool  { return s.was != s.is }
func (s subject) function() bool { return family(s.kind) == "function" }
func (s subject) typedef() bool  { return family(s.kind) == "typedef" }

// changesMembers tells whether something has become of members that were there, such as enumerators.
func (s subject) changesMembers() bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool { return m.Old != "" })
}

// meaning is a sentence for a kind of change, where when holds; nil always does. The words in braces
// are the Go names before and after, the Go declaration, and what the symbol is now.
type meaning struct {
	kind Kind
	when func(s subject) bool
	say  string
}

// What is said where Go code goes on as it is.
const (
	nothingToDo = "Nothing to do."
	goUnchanged = "Go code needs no change."
)

// meanings are groups of sentences: of each group the first that fits is said.
var meanings = [][]meaning{
	{ // is the name still there?
		{Removed, subject.hadGo, "{was} no longer exists: code that uses it does not compile."},
		{Removed, nil, "It had no Go declaration. C programs that use it no longer build."},
		{Added, subject.hasGo, "{is} is new."},
		{Added, nil, "It has no Go declaration."},
		{Unbound, nil, "{was} is no longer generated (api/skipped.txt says why): code that uses it does not compile."},
		{Renamed, func(s subject) bool { return s.otherGo() && s.hadGo() && s.hasGo() }, "Use {is} instead of {was}."},
		{Renamed, nil, "No Go name changes. C programs must use the new name."},
		{GoChanged, subject.otherGo, "Use {is} instead of {was}."},
	},
	{ // are its uses the same?
		{Unbound, nil, ""},
		{Signature, func(s subject) bool { return s.forGo() && s.hasGo() && s.function() }, "Change its calls: it is now {go}."},
		{Signature, subject.typedef, "Functions that take it are listed separately. C code of this type must change."},
		{Signature, subject.noGo, "It has no Go declaration. C programs must change their calls."},
		{Signature, nil, "Go calls need no change, but bindings generated from OLD must not call NEW's library."},
		{GoChanged, subject.sameGo, "Change the uses of {is}: it is now {go}."},
	},
	{
		{Layout, subject.hasGo, "Check code that fills or reads {is}. Bindings generated from OLD have the old layout."},
		{Layout, nil, "Recompile C programs."},
	},
	{
		{Values, func(s subject) bool { return s.breaking() && s.changesMembers() }, "Recompile Go code that uses the names. Numbers that are written out in code, stored or sent have a different meaning now."},
		{Values, func(s subject) bool { return s.Class != Compatible }, "A switch over the values may meet new ones."},
	},
	{
		{Value, func(s subject) bool { return s.breaking() && !versionMacro.MatchString(s.Name) }, "Check sizes and numbers that are written out in code."},
	},
	{
		{KindChanged, func(s subject) bool { return s.forC() && !s.forGo() }, "Go code needs no change, but bindings generated from OLD do not find it in NEW's library."},
		{KindChanged, func(s subject) bool { return s.Class == Compatible }, goUnchanged},
		{KindChanged, subject.hasGo, "Check the uses of {is}: it is now {kind}."},
	},
	{
		{Bound, func(s subject) bool { return !s.Has(Added) }, "{is} can be used now."},
	},
	{{Deprecated, nil, "It still works; look for its replacement."}},
	{{Demoted, nil, "It may change in any release."}},
	{{Promoted, nil, "DOCA's promise of stability covers it now."}},
}

// meaningOf says what the change means for Go callers.
func meaningOf(ch *Change, old, new *ledger.Symbol) string {
	s := subject{ch, qualified(old), qualified(new), new.Kind}
	fill := strings.NewReplacer("{was}", s.was, "{is}", s.is, "{go}", new.Go, "{kind}", article(new.Kind))
	var say []string
	for _, group := range meanings {
		i := slices.IndexFunc(group, func(m meaning) bool { return ch.Has(m.kind) && (m.when == nil || m.when(s)) })
		if i >= 0 && group[i].say != "" {
			say = append(say, fill.Replace(group[i].say))
		}
	}
	if len(say) == 0 {
		return nothingToDo
	}
	return strings.Join(say, " ")
}
