package check

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// unit is a set of headers that are compiled together, with the probes of their symbols.
type unit struct {
	headers []string
	probes  []*probe
	object  *object
	tags    *probe
	broken  []diagnostic // errors in the headers themselves
	notes   []string
}

var tag = regexp.MustCompile(`\b(struct|union) ([\pL_$][\w$\pL\pM\pN]*)`)

// source is the unit as C, and the probe and line that each of its lines belongs to.
func (u *unit) source() (text string, at map[int]place) {
	var b strings.Builder
	at = map[int]place{}
	n := 1
	put := func(s string) {
		b.WriteString(s + "\n")
		n += strings.Count(s, "\n") + 1
	}
	for _, h := range u.headers {
		put("#include <" + h + ">")
	}
	for i, l := range u.declared().lines {
		if u.tags.usable(l) {
			at[n] = place{u.tags, i}
			put(l.text)
		}
	}
	// A typedef that the headers do not have must not spoil the prototypes that use it.
	for _, p := range u.probes {
		if _, gone := p.failed["there"]; gone && p.symbol.Kind == ledger.Typedef {
			put(portable(p.symbol.C) + ";")
		}
	}
	for _, p := range u.probes {
		for i, l := range p.lines {
			if !p.usable(l) {
				continue
			}
			for j := range strings.Count(l.text, "\n") + 1 {
				at[n+j] = place{p, i}
			}
			put(l.text)
		}
	}
	return b.String(), at
}

// declared are the tags that the probes mention: one that is first seen in a prototype would be
// another one than that of the file. A line fails where the headers have another kind of type.
func (u *unit) declared() *probe {
	if u.tags != nil {
		return u.tags
	}
	u.tags = &probe{failed: map[string]string{}}
	seen := map[string]bool{"struct __va_list_tag": true}
	for _, p := range u.probes {
		for _, t := range tag.FindAllString(p.symbol.C, -1) {
			if !seen[t] {
				seen[t] = true
				u.tags.add(t, t+";")
			}
		}
	}
	return u.tags
}

type place struct {
	probe *probe
	line  int
}

// compile runs the compiler until what is left of the probes compiles: each run takes out the
// lines that the one before has complained of.
func (u *unit) compile(ctx context.Context, c *compiler) error {
	const rounds = 20
	for range rounds {
		text, at := u.source()
		r, err := c.compile(ctx, text, "-w")
		if err != nil {
			return err
		}
		for _, s := range r.standIns {
			u.notes = append(u.notes, s+": not installed, so a built-in stand-in was used")
		}
		if !r.failed {
			u.object, err = readObject(r.object)
			return err
		}
		progress := false
		for _, e := range r.errors() {
			where, ok := at[e.line]
			if !ok || e.file != sourceName {
				u.broken = append(u.broken, e)
				continue
			}
			role := where.probe.lines[where.line].role
			if _, again := where.probe.failed[role]; !again {
				where.probe.failed[role] = e.text
				progress = true
			}
		}
		if len(u.broken) > 0 || !progress {
			if len(u.broken) == 0 {
				return fmt.Errorf("the C compiler rejects what it accepted before: %v", r.errors())
			}
			return nil
		}
	}
	return fmt.Errorf("the C compiler still reports new errors after %d runs", rounds)
}

// types asks the compiler how it spells the types of expressions, by assigning pointers to them to
// a pointer of another type. It returns the types by name; for some it may have no answer.
func (u *unit) types(ctx context.Context, c *compiler, expressions map[string]string) (map[string]string, error) {
	text, _ := u.source()
	n := strings.Count(text, "\n") + 1
	names := map[int]string{}
	var b strings.Builder
	b.WriteString(text)
	for i, name := range sortedKeys(expressions) {
		names[n+i] = name
		fmt.Fprintf(&b, "struct godoca_no_such *godoca_spell_%d = (__typeof__(%s) *)8;\n", i, expressions[name])
	}
	// gcc warns, clang and later releases of gcc refuse.
	r, err := c.compile(ctx, b.String(), "-Wno-deprecated-declarations")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, m := range r.messages {
		name, ok := names[m.line]
		if q := spelled.FindStringSubmatch(m.text); ok && q != nil && m.file == sourceName && out[name] == "" {
			if q[1] == "" {
				q[1] = q[2]
			}
			out[name] = pointee(q[1])
		}
	}
	return out, nil
}

// spelled finds the type in a message about pointers that do not fit: of gcc, and of clang.
var spelled = regexp.MustCompile(`from incompatible pointer type '([^']+)'|with an expression of type '([^']+)'`)

// pointee is the type that a spelled pointer points to.
func pointee(t string) string {
	t = strings.Join(strings.Fields(t), " ")
	if i := strings.Index(t, "(*"); i >= 0 {
		if rest, ok := strings.CutPrefix(t[i:], "(*)"); ok {
			return strings.TrimSpace(t[:i]) + " " + rest
		}
		return t[:i] + "(" + t[i+len("(*"):]
	}
	return strings.TrimSpace(strings.TrimSuffix(t, "*"))
}

// sameWithoutConst asks which functions have the type that the bindings expect apart from qualifiers.
func (u *unit) sameWithoutConst(ctx context.Context, c *compiler) (map[*probe]bool, error) {
	text, _ := u.source()
	r, err := c.compile(ctx, text, "-w", "-Dconst=", "-Dvolatile=", "-Drestrict=", "-D__restrict=")
	if err != nil || r.failed {
		return nil, err // the headers need their qualifiers: nothing is known
	}
	o, err := readObject(r.object)
	if err != nil {
		return nil, err
	}
	same := map[*probe]bool{}
	for _, p := range u.probes {
		v, ok := o.number(p.name("same"))
		same[p] = ok && v == 1
	}
	return same, nil
}
