package apidiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// sayMeaning says what the change means for Go callers.
func (c *comparison) sayMeaning(ch *Change, old, new *ledger.Symbol) {
	was, is := qualified(old), qualified(new)
	var say []string
	add := func(format string, args ...any) { say = append(say, fmt.Sprintf(format, args...)) }
	forGo := slices.Contains(ch.Breaks, ForGo)
	switch {
	case ch.Has(Removed) && was != "":
		add("%s no longer exists: what uses it does not compile.", was)
	case ch.Has(Removed):
		add("No Go declaration stood for it; C programs that use it do not build.")
	case ch.Has(Added) && is != "":
		add("%s is new.", is)
	case ch.Has(Added):
		add("It has no Go declaration.")
	case ch.Has(Unbound):
		add("%s is no longer generated (api/skipped.txt says why): what uses it does not compile.", was)
	case ch.Has(Renamed) && was != is && was != "" && is != "":
		add("Use %s in place of %s.", is, was)
	case ch.Has(Renamed):
		add("No Go name changes; C programs must use the new name.")
	case ch.Has(GoChanged) && was != is:
		add("Use %s in place of %s.", is, was)
	}
	switch {
	case ch.Has(Unbound):
	case ch.Has(Signature) && forGo && is != "" && family(new.Kind) == "function":
		add("Calls must be changed: it is %s now.", new.Go)
	case ch.Has(Signature) && family(new.Kind) == "typedef":
		add("Functions that take it are told by themselves; C code of this type must be changed.")
	case ch.Has(Signature) && is == "":
		add("No Go declaration stands for it; C programs must change their calls.")
	case ch.Has(Signature):
		add("Go calls stay as they are. Bindings that were generated from OLD must not call NEW's library.")
	case ch.Has(GoChanged) && was == is:
		add("Uses of %s must be changed: it is %s now.", is, new.Go)
	}
	switch {
	case ch.Has(Layout) && is != "":
		add("Code that fills or reads %s must be checked; bindings that were generated from OLD see other memory.", is)
	case ch.Has(Layout):
		add("C programs must be compiled again.")
	}
	switch {
	case ch.Has(Values) && ch.Class == Breaking:
		add("Go code that uses the names must be compiled again; numbers that were written down, stored or sent mean something else.")
	case ch.Has(Values) && ch.Class == Addition:
		add("A switch over the values may meet new ones.")
	}
	if ch.Has(Value) && ch.Class == Breaking && !versionMacro.MatchString(new.Name) {
		add("Sizes and numbers that were written down must be checked.")
	}
	if ch.Has(KindChanged) && slices.Contains(ch.Breaks, ForC) && !forGo {
		add("Go code stays as it is. Bindings that were generated from OLD do not find it in NEW's library.")
	} else if ch.Has(KindChanged) && ch.Class == Compatible {
		add("Go code stays as it is.")
	} else if ch.Has(KindChanged) && is != "" {
		add("Uses of %s must be checked: it is %s now.", is, article(new.Kind))
	}
	if ch.Has(Bound) && !ch.Has(Added) {
		add("%s can be used now.", is)
	}
	if ch.Has(Deprecated) {
		add("It still works; look for what replaces it.")
	}
	if ch.Has(Demoted) {
		add("It may change in any release.")
	}
	if ch.Has(Promoted) {
		add("It is under DOCA's promise of stability.")
	}
	if len(say) == 0 {
		add("Nothing to do.")
	}
	ch.Means = strings.Join(say, " ")
}
