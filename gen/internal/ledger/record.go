package ledger

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// record is the C column of a struct or union, taken apart.
type record struct {
	union   bool
	pack    int // of #pragma pack; 0 where there is none
	attrs   []string
	members []*member
	layout  *Layout // once it is made
}

// member is one declaration in a record.
type member struct {
	decl  string  // as the ledger has it, without attributes; an untagged record is "{ ... }"
	name  string  // empty: an anonymous record, or a bit-field that only fills
	call  string  // the type; that of an untagged record is "struct ?" or "union ?"
	bits  int     // of a bit-field; -1 of what is none
	inner *record // the untagged record that it declares
	attrs []string
}

var (
	sizeColumn = regexp.MustCompile(` size \d+$`)
	packMark   = regexp.MustCompile(`/\* #pragma pack\((\d+)\) \*/`)
	attribute  = regexp.MustCompile(`^\s*__attribute__\s*\(\(`)
	bitWidth   = regexp.MustCompile(`\s*:\s*(\d+)$`)
)

// parseRecord takes the C column of a struct or union apart.
func (t *Types) parseRecord(c string) (*record, error) {
	c = sizeColumn.ReplaceAllString(c, "")
	open := strings.IndexByte(c, '{')
	if open < 0 {
		return nil, fmt.Errorf("no members in %q", c)
	}
	end := closing(c, open)
	if end < 0 {
		return nil, fmt.Errorf("no end of the members in %q", c)
	}
	r, err := t.block(strings.HasPrefix(c, "union"), c[open+1:end], 0)
	if err != nil {
		return nil, err
	}
	if m := packMark.FindStringSubmatch(c[:open]); m != nil {
		r.pack, _ = strconv.Atoi(m[1])
	}
	r.attrs, _ = leadingAttributes(c[end+1:])
	if i := strings.Index(c[:open], "__attribute__"); i >= 0 {
		before, _ := leadingAttributes(c[i:open])
		r.attrs = append(r.attrs, before...)
	}
	return r, nil
}

// block reads the members between two braces.
func (t *Types) block(union bool, text string, depth int) (*record, error) {
	if depth > tooDeep {
		return nil, fmt.Errorf("records in records, %d deep", depth)
	}
	r := &record{union: union}
	start, open := 0, 0
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, ";") && text != "" {
		text += ";"
	}
	for i := range len(text) {
		switch text[i] {
		case '{', '(', '[':
			open++
		case '}', ')', ']':
			open--
		case ';':
			if open > 0 {
				continue
			}
			m, err := t.member(strings.TrimSpace(text[start:i]), depth)
			if err != nil {
				return nil, err
			}
			r.members = append(r.members, m)
			start = i + 1
		}
	}
	return r, nil
}

func (t *Types) member(text string, depth int) (*member, error) {
	m := &member{bits: -1}
	typ := text
	if open := strings.IndexByte(text, '{'); open >= 0 {
		end := closing(text, open)
		if end < 0 {
			return nil, fmt.Errorf("no end of the members in %q", text)
		}
		before := strings.TrimSpace(text[:open])
		inner, err := t.block(strings.HasSuffix(before, "union"), text[open+1:end], depth+1)
		if err != nil {
			return nil, err
		}
		var rest string
		inner.attrs, rest = leadingAttributes(text[end+1:])
		rest, m.attrs = trailingAttributes(rest)
		m.inner = inner
		typ = before + " $ " + rest
		text = strings.TrimSpace(before + " { ... } " + strings.TrimSpace(rest))
	} else {
		typ, m.attrs = trailingAttributes(text)
		text = typ
	}
	m.decl = text
	if b := bitWidth.FindStringSubmatchIndex(typ); b != nil {
		m.bits, _ = strconv.Atoi(typ[b[2]:b[3]])
		typ = typ[:b[0]]
	}
	p := &declParser{types: t, toks: cTokens.FindAllString(typ, -1)}
	m.call = p.declaration()
	m.name = p.name
	return m, nil
}

// closing is the place of the brace that closes the one at i, or -1.
func closing(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// leadingAttributes reads the attributes in front of a text.
func leadingAttributes(s string) (attrs []string, rest string) {
	for {
		at := attribute.FindStringIndex(s)
		if at == nil {
			return attrs, s
		}
		end := strings.Index(s[at[1]:], "))")
		if end < 0 {
			return attrs, s
		}
		end += at[1]
		if end+2 < len(s) && s[end+2] == ')' { // aligned(8)))
			end++
		}
		attrs = append(attrs, strings.TrimSpace(s[at[1]:end]))
		s = s[end+2:]
	}
}

// trailingAttributes takes the attributes at the end of a text off.
func trailingAttributes(s string) (rest string, attrs []string) {
	for {
		i := strings.LastIndex(s, "__attribute__")
		if i < 0 {
			return s, attrs
		}
		a, behind := leadingAttributes(s[i:])
		if strings.TrimSpace(behind) != "" || a == nil {
			return s, attrs
		}
		attrs = slices.Concat(a, attrs)
		s = strings.TrimSpace(s[:i])
	}
}
