package model

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// Ledger is the API of the model's libraries as text: all that their headers declare, with the
// Go form of what is bound. Libraries that are bound elsewhere are not in it.
func (m *Model) Ledger() *ledger.Ledger {
	w := &ledgerWriter{out: &ledger.Ledger{Version: m.Newest(), Partial: m.Release != ""}, structs: map[string]*Struct{}, seen: map[string]bool{}, at: map[string]int{}, first: map[string]string{}}
	w.goForm, w.owner = m.goForms()
	headers := map[string]*cparse.Header{}
	for _, h := range m.API.Headers {
		headers[h.Name] = h
		for _, r := range h.Records {
			if r.Complete {
				w.seen["object "+recordName(r)] = true // its members are elsewhere
			}
		}
	}
	for _, l := range m.Libraries {
		for _, s := range l.Structs {
			w.structs[s.CName] = s
		}
	}
	for _, l := range m.Libraries {
		if l.Base {
			continue
		}
		w.lib = l
		w.sonames = map[string]string{}
		for _, f := range l.Funcs {
			if f.Soname != l.ByName {
				w.sonames[f.CName] = f.Soname
			}
		}
		for _, h := range l.Headers {
			w.header(headers[h.Name])
		}
		for _, c := range l.Callbacks {
			w.add(c.Header, ledger.Callback, c.Func+"("+c.Param+")", "", c.Type, "")
		}
	}
	return w.out
}

type ledgerWriter struct {
	out     *ledger.Ledger
	sonames map[string]string // of functions, where they do not follow from the library
	goForm  map[string]string
	owner   map[string]string // libraries of goForm: one that declares a type shares another one's
	structs map[string]*Struct
	seen    map[string]bool
	at      map[string]int    // symbols of records and enumerators, by kind and name
	first   map[string]string // how they are declared first
	lib     *Library
}

// add adds a symbol unless a header before has it: the same typedef or tag may be declared in several.
func (w *ledgerWriter) add(header string, kind ledger.Kind, name string, st cparse.Stability, c, doc string) {
	key := string(kind) + " " + name
	if name == "" {
		return
	}
	if w.seen[key] {
		w.addOther(header, key, c)
		return
	}
	w.seen[key] = true
	if st == cparse.Inline {
		st = ""
	}
	library := w.owner[key]
	if library == "" {
		library = w.lib.Name
	}
	w.out.Symbols = append(w.out.Symbols, ledger.Symbol{
		Header: header, Name: name, Kind: kind, Stability: string(st), Library: library, Go: w.goForm[key], C: c, Doc: doc,
	})
	if kind == ledger.Struct || kind == ledger.Union || kind == ledger.Enumerator {
		w.at[key], w.first[key] = len(w.out.Symbols)-1, c
	}
	if kind == ledger.Function {
		w.out.Symbols[len(w.out.Symbols)-1].Soname = w.sonames[name]
	}
}

// addOther adds another declaration of a record or an enumerator to its symbol. Headers that no program includes together may
// differ, and a comparison must see what changes in either.
func (w *ledgerWriter) addOther(header, key, c string) {
	i, ok := w.at[key]
	if !ok || c == w.first[key] || w.structs[w.out.Symbols[i].Name] != nil { // what is bound is the same in all
		return
	}
	s := &w.out.Symbols[i]
	if !strings.Contains(s.C+ledger.OrIn, ": "+c+ledger.OrIn) {
		s.C += ledger.OrIn + header + ": " + c
	}
}

func (w *ledgerWriter) header(h *cparse.Header) {
	for _, f := range h.Funcs {
		kind := ledger.Function
		if f.Inline {
			kind = ledger.Inline
		}
		w.add(h.Name, kind, f.Name, f.Stability, f.Prototype(), f.Doc)
	}
	for _, en := range h.Enums {
		name, c := en.Name, "enum "+en.Name
		if name == "" {
			name, c = en.Typedef, "enum"
		}
		if en.Packed {
			c += " __attribute__((packed))"
		}
		w.add(h.Name, ledger.Enum, name, "", c, en.Doc)
		for _, v := range en.Consts {
			w.add(h.Name, ledger.Enumerator, v.Name, "", strings.TrimSpace("enum "+name)+": "+Decimal(v.Value, v.Unsigned), v.Doc)
		}
	}
	for _, r := range h.Records {
		kind, c := ledger.Object, r.Declaration()
		if r.Complete {
			kind = ledger.Kind(r.Kind)
			if s := w.structs[recordName(r)]; s != nil {
				c += " size " + strconv.Itoa(s.Size)
			}
		}
		w.add(h.Name, kind, recordName(r), "", c, r.Doc)
	}
	for _, t := range h.Typedefs {
		w.add(h.Name, ledger.Typedef, t.Name, "", t.Declaration(), t.Doc)
	}
	for _, m := range h.Macros {
		w.add(h.Name, ledger.Macro, m.Name, "", MacroValue(m), m.Doc)
	}
}

// MacroValue is the value of a macro in C, not the names of other macros that it is made of. A literal stays as it is.
func MacroValue(m *cparse.Macro) string {
	switch {
	case m.Int != nil:
		return Decimal(*m.Int, m.Unsigned)
	case m.Str != nil && !literals.MatchString(m.Value):
		return quoteC(*m.Str)
	case m.Float != nil && strings.ContainsFunc(m.Value, unicode.IsUpper):
		return strconv.FormatFloat(*m.Float, 'g', -1, 64)
	}
	return m.Value
}

// literals are strings side by side.
var literals = regexp.MustCompile(`^("([^"\\]|\\.)*"\s*)+$`)

// quoteC writes a string as a literal of C.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Decimal writes an enumerator's or a macro's value, which may be the bit pattern of an unsigned number.
func Decimal(v int64, unsigned bool) string {
	if unsigned {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// goForms are the Go declarations, by kind and C name, and the libraries whose packages have them.
func (m *Model) goForms() (forms, owner map[string]string) {
	forms, owner = map[string]string{}, map[string]string{}
	for _, l := range m.Libraries {
		out := map[string]string{}
		for _, fn := range l.Funcs {
			kind := ledger.Function
			if fn.C.Inline {
				kind = ledger.Inline
			}
			out[string(kind)+" "+fn.CName] = fn.Signature(l.Name)
		}
		for _, en := range l.Enums {
			out["enum "+en.CName] = "type " + en.GoName
			for _, c := range en.Consts {
				out["enumerator "+c.CName] = "const " + c.GoName + " " + en.GoName
			}
		}
		for _, o := range l.Objects {
			out["object "+o.CName] = "type " + o.GoName
		}
		for _, s := range l.Structs {
			out[s.Kind+" "+s.CName] = "type " + s.GoName
		}
		for _, t := range l.Typedefs {
			out["typedef "+t.CName] = "type " + t.GoName
		}
		for _, c := range l.Constants {
			kind := "macro "
			if c.Enumerator {
				kind = "enumerator "
			}
			typ := ""
			if t, _, ok := strings.Cut(c.Value, "("); ok && c.Value[0] != '"' {
				typ = " " + t
			}
			out[kind+c.CName] = "const " + c.GoName + typ
		}
		for _, c := range l.Callbacks {
			out[fmt.Sprintf("callback %s(%s)", c.Func, c.Param)] = fmt.Sprintf("const Kind%s = %#08x", c.GoName, c.Hash)
		}
		for key, form := range out {
			forms[key], owner[key] = form, l.Name
		}
	}
	return forms, owner
}
