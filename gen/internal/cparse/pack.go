package cparse

import (
	"fmt"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// packState is what the #pragma pack so far add up to.
type packState struct {
	now   int // 0 is the default
	stack []packEntry
}

type packEntry struct {
	name string
	pack int
}

// assertion follows a pragma that overlay made an assertion of.
func (p *packState) assertion(d *cc.StaticAssertDeclaration) error {
	text, err := strconv.Unquote(d.Token4.SrcStr())
	if err != nil || !strings.HasPrefix(strings.TrimSpace(text), "pack") {
		return nil // a real one
	}
	_, args, _ := strings.Cut(text, "(")
	args, _, _ = strings.Cut(args, ")")
	return p.apply(args)
}

// apply follows a pragma: pack(4), pack(), pack(push), pack(push, name, 4), pack(pop, name).
func (p *packState) apply(args string) error {
	op, name, set := "", "", -1
	for i, a := range strings.Split(args, ",") {
		a = strings.TrimSpace(a)
		n, err := strconv.Atoi(a)
		switch {
		case a == "" && i == 0:
			set = 0
		case (a == "push" || a == "pop") && i == 0:
			op = a
		case err == nil && n >= 0 && n <= 16 && n&(n-1) == 0:
			set = n
		case op != "" && i == 1:
			name = a
		default:
			return fmt.Errorf("#pragma pack(%s): %q is no alignment", args, a)
		}
	}
	switch op {
	case "push":
		p.stack = append(p.stack, packEntry{name, p.now})
	case "pop":
		for i := len(p.stack) - 1; i >= 0; i-- {
			if e := p.stack[i]; name == "" || e.name == name {
				p.now, p.stack = e.pack, p.stack[:i]
				break
			}
		}
	}
	if set >= 0 {
		p.now = set
	}
	return nil
}
