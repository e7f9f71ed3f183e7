package apidiff

import (
	"fmt"
	"strings"
)

// prototype is a C prototype taken apart.
type prototype struct {
	result string
	params []cParam
}

type cParam struct {
	text, name string // "const struct doca_dev *dev", "dev"
	typ        string // the text without the name
	call       string // the type as a call sees it, with the names of NEW
}

// parsePrototype takes a prototype, or a typedef of a function, apart.
func (c *comparison) parsePrototype(text string, old bool) (p prototype, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "typedef "))
	if !strings.HasSuffix(text, ")") {
		return p, false
	}
	open := matching(text)
	if open < 0 {
		return p, false
	}
	p.result = strings.TrimSpace(text[:open])
	if !strings.HasSuffix(p.result, ")") { // of a typedef, (*name) stays
		p.result = strings.TrimRight(p.result, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	} else if i := strings.LastIndex(p.result, "("); i >= 0 {
		p.result = p.result[:i]
	}
	p.result = strings.TrimSpace(p.result)
	for _, part := range splitParams(text[open+1 : len(text)-1]) {
		if part == "void" || part == "" {
			continue
		}
		q := cParam{text: part, name: paramName(part)}
		q.typ = withoutName(part, q.name)
		if q.call = c.newTypes.Call("void f(" + part + ")"); old {
			q.call = c.oldCall("void f(" + part + ")")
		}
		q.call = strings.TrimSuffix(strings.TrimPrefix(q.call, "func("), ") void")
		p.params = append(p.params, q)
	}
	return p, true
}

// matching is the place of the parenthesis that the last one closes.
func matching(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitParams cuts at the commas between parameters, not at those inside of them.
func splitParams(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

var typeWords = map[string]bool{"void": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true,
	"signed": true, "unsigned": true, "_Bool": true, "bool": true, "const": true, "volatile": true, "restrict": true, "struct": true,
	"union": true, "enum": true}

// paramName is the name of a parameter, or empty.
func paramName(text string) string {
	if i := strings.Index(text, "(*"); i >= 0 {
		return identifier.FindString(text[i+2:])
	}
	end, _, _ := strings.Cut(text, "[")
	all := identifier.FindAllString(end, -1)
	if len(all) < 2 {
		return ""
	}
	last, before := all[len(all)-1], all[len(all)-2]
	if typeWords[last] || before == "struct" || before == "union" || before == "enum" || !strings.HasSuffix(strings.TrimSpace(end), last) {
		return ""
	}
	if len(all) == 2 && (before == "const" || before == "volatile") {
		return ""
	}
	return last
}

// withoutName takes the name of a parameter out of its text; what is left is the type.
func withoutName(text, name string) string {
	if name == "" {
		return text
	}
	i := strings.LastIndex(text, name)
	if j := strings.Index(text, "(*"); j >= 0 {
		i = j + 2 + strings.Index(text[j+2:], name)
	}
	return strings.TrimSpace(strings.TrimSpace(text[:i]) + text[i+len(name):])
}

// label names a parameter, by its place where it has no name.
func (p cParam) label(i int) string {
	if p.text == "..." {
		return "..."
	}
	if p.name == "" {
		return fmt.Sprintf("%d", i+1)
	}
	return p.name
}
