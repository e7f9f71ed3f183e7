package emit

import (
	"fmt"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// later is what releases after that of the headers have added. The emulator is compiled against the headers alone.
type later struct {
	Headers      []string // of the declarations
	Declarations []string // in C, in an order in which they compile
	added        map[string]bool
}

func (l *later) has(kind ledger.Kind, name string) bool { return l.added[string(kind)+" "+name] }

// later finds out what the ledger of the headers' own version lacks. Nothing is later where the model is of one release.
func (e *emitter) later() *later {
	l := &later{added: map[string]bool{}}
	var base *ledger.Ledger
	for _, h := range e.opt.History {
		if ledger.Release(h.Version) == ledger.Release(e.m.Version.String) {
			base = h
		}
	}
	if e.m.Release == "" || base == nil {
		return l
	}
	for _, s := range e.m.Ledger().Symbols {
		if base.Find(s.Kind, s.Name) == nil {
			l.added[string(s.Kind)+" "+s.Name] = true
		}
	}
	for _, lib := range e.m.Libraries {
		for _, h := range e.m.API.Headers {
			if !belongs(lib, h.Name) || lib.ForDevice() {
				continue
			}
			if lines := l.of(h); lines != nil {
				l.Headers = append(l.Headers, h.Name)
				l.Declarations = append(l.Declarations, lines...)
			}
		}
	}
	return l
}

// of declares what a header has more.
func (l *later) of(h *cparse.Header) (lines []string) {
	for _, en := range h.Enums {
		if l.has(ledger.Enum, en.Name) {
			lines = append(lines, "enum "+en.Name+" {")
		}
		for _, c := range en.Consts {
			switch value := model.Decimal(c.Value, c.Unsigned); {
			case l.has(ledger.Enum, en.Name):
				lines = append(lines, fmt.Sprintf("\t%s = %s,", c.Name, value))
			case l.has(ledger.Enumerator, c.Name):
				lines = append(lines, fmt.Sprintf("#define %s ((enum %s)%s)", c.Name, en.Name, value))
			}
		}
		if l.has(ledger.Enum, en.Name) {
			lines = append(lines, "};")
		}
	}
	for _, r := range h.Records {
		if l.has(ledger.Kind(r.Kind), r.Name) || l.has(ledger.Object, r.Name) {
			lines = append(lines, r.Declaration()+";")
		}
	}
	for _, t := range h.Typedefs {
		if l.has(ledger.Typedef, t.Name) {
			lines = append(lines, t.Declaration()+";")
		}
	}
	for _, f := range h.Funcs {
		if l.has(ledger.Function, f.Name) {
			lines = append(lines, "DOCA_EXPERIMENTAL "+f.Prototype()+";")
		}
	}
	return lines
}
