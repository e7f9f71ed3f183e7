package apidiff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// pair is a symbol on both sides. One of them may be missing.
type pair struct {
	old, new *ledger.Symbol
	prefix   *prefix // the rename that explains the new name, whole
}

// comparison is a comparison in the making.
type comparison struct {
	old, new           *ledger.Ledger
	oldTypes, newTypes *ledger.Types
	oldEnums, newEnums *members // enumerators by tag
	oldRoles, newRoles *members // callbacks by function
	pairs              []pair
	gone, come         []*ledger.Symbol // not matched yet
	names              map[string]string
	libraries          map[string]string // renamed ones
	prefixes           []*prefix
	goNames            map[string]string       // "dma.TaskMemcpy" -> its new name, where it has one
	told               map[*ledger.Symbol]bool // enumerators that were or are macros
}

// members are the symbols that are reported with another one.
type members struct {
	of map[string][]*ledger.Symbol
	in map[*ledger.Symbol]bool
}

// space is where a name must be unique: C has one for tags, and one for the rest.
func space(k ledger.Kind) string {
	switch k {
	case ledger.Enum, ledger.Object, ledger.Struct, ledger.Union:
		return "tag"
	}
	return ""
}

// family are the kinds among which a symbol can be renamed.
func family(k ledger.Kind) string {
	switch k {
	case ledger.Function, ledger.Inline:
		return "function"
	case ledger.Object, ledger.Struct, ledger.Union:
		return "record"
	case ledger.Macro, ledger.Enumerator:
		return "constant"
	}
	return string(k)
}

// enumerators groups those whose enumeration has a tag.
func enumerators(l *ledger.Ledger) *members {
	m := &members{map[string][]*ledger.Symbol{}, map[*ledger.Symbol]bool{}}
	tags := map[string]bool{}
	for i := range l.Symbols {
		if s := &l.Symbols[i]; s.Kind == ledger.Enum {
			tags[s.Name] = true
		}
	}
	for i := range l.Symbols {
		s := &l.Symbols[i]
		if tag, _, ok := s.EnumeratorOf(); ok && tags[tag] {
			m.of[tag] = append(m.of[tag], s)
			m.in[s] = true
		}
	}
	return m
}

// roles groups the callbacks by the function that installs them.
func roles(l *ledger.Ledger) *members {
	m := &members{map[string][]*ledger.Symbol{}, map[*ledger.Symbol]bool{}}
	functions := map[string]bool{}
	for i := range l.Symbols {
		if s := &l.Symbols[i]; family(s.Kind) == "function" {
			functions[s.Name] = true
		}
	}
	for i := range l.Symbols {
		s := &l.Symbols[i]
		if owner, _, ok := strings.Cut(s.Name, "("); ok && s.Kind == ledger.Callback && functions[owner] {
			m.of[owner] = append(m.of[owner], s)
			m.in[s] = true
		}
	}
	return m
}

// match pairs the symbols of the same name, and keeps the others in gone and come.
func (c *comparison) match() {
	type key struct{ space, name string }
	exact := map[string]*ledger.Symbol{}
	loose := map[key]*ledger.Symbol{}
	used := map[*ledger.Symbol]bool{}
	for i := range c.new.Symbols {
		s := &c.new.Symbols[i]
		if !c.newEnums.in[s] && !c.newRoles.in[s] {
			exact[string(s.Kind)+" "+s.Name] = s
		}
	}
	var rest []*ledger.Symbol
	for i := range c.old.Symbols {
		s := &c.old.Symbols[i]
		if c.oldEnums.in[s] || c.oldRoles.in[s] {
			continue
		}
		if n := exact[string(s.Kind)+" "+s.Name]; n != nil && !used[n] {
			c.pairs = append(c.pairs, pair{old: s, new: n})
			used[n] = true
			continue
		}
		rest = append(rest, s)
	}
	for i := range c.new.Symbols {
		if s := &c.new.Symbols[i]; exact[string(s.Kind)+" "+s.Name] == s && !used[s] {
			if k := (key{space(s.Kind), s.Name}); loose[k] == nil {
				loose[k] = s
			}
			c.come = append(c.come, s)
		}
	}
	for _, s := range rest {
		if n := loose[key{space(s.Kind), s.Name}]; n != nil && !used[n] {
			c.pairs = append(c.pairs, pair{old: s, new: n})
			used[n] = true
			continue
		}
		c.gone = append(c.gone, s)
	}
	c.dropJoined()
	c.matchMacros()
}

// matchMacros finds macros that are enumerators on the other side.
func (c *comparison) matchMacros() {
	byName := func(m *members) map[string]*ledger.Symbol {
		out := map[string]*ledger.Symbol{}
		for s := range m.in {
			out[s.Name] = s
		}
		return out
	}
	old, new := byName(c.oldEnums), byName(c.newEnums)
	for _, s := range c.gone {
		if n := new[s.Name]; s.Kind == ledger.Macro && n != nil && old[s.Name] == nil {
			c.pairs = append(c.pairs, pair{old: s, new: n})
			c.told[n] = true
		}
	}
	for _, s := range c.come {
		if o := old[s.Name]; s.Kind == ledger.Macro && o != nil && new[s.Name] == nil {
			c.pairs = append(c.pairs, pair{old: o, new: s})
			c.told[o] = true
		}
	}
	c.dropJoined()
}

// join makes a pair of a symbol that is gone and one that has come.
func (c *comparison) join(old, new *ledger.Symbol, by *prefix) {
	c.pairs = append(c.pairs, pair{old, new, by})
	if old.Name != new.Name {
		c.names[old.Name] = new.Name
	}
}

// dropJoined takes what is paired out of gone and come.
func (c *comparison) dropJoined() {
	used := map[*ledger.Symbol]bool{}
	for _, p := range c.pairs {
		used[p.old], used[p.new] = true, true
	}
	in := func(s *ledger.Symbol) bool { return used[s] }
	c.gone, c.come = slices.DeleteFunc(c.gone, in), slices.DeleteFunc(c.come, in)
}

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// renamed is C text of OLD with the names of NEW.
func (c *comparison) renamed(text string) string {
	if len(c.names) == 0 {
		return text
	}
	return identifier.ReplaceAllStringFunc(text, func(s string) string {
		if n, ok := c.names[s]; ok {
			return n
		}
		return s
	})
}

// oldCall is what a call in OLD passes, with the names of NEW.
func (c *comparison) oldCall(prototype string) string { return c.renamed(c.oldTypes.Call(prototype)) }

func (c *comparison) newCall(prototype string) string { return c.newTypes.Call(prototype) }

var tokens = regexp.MustCompile(`\.\.\.|\w+|\S`)

// pieces are tokens and the space between them.
var pieces = regexp.MustCompile(`\s+|\.\.\.|\w+|\S`)

// sameText compares C text without regard to space.
func sameText(a, b string) bool {
	return a == b || strings.Join(tokens.FindAllString(a, -1), " ") == strings.Join(tokens.FindAllString(b, -1), " ")
}
