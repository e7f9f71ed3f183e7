package emit

import (
	"regexp"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// doxygen is a comment taken apart.
type doxygen struct {
	Brief  string
	Text   []string // paragraphs; a list is one paragraph whose lines start with "  - "
	Params []docParam
	Return []string
	Notes  []string
	Since  string
}

type docParam struct{ Name, Dir, Text string }

var (
	tagLine   = regexp.MustCompile(`^\s*[@\\](\w+)\s*(?:\[([\w ,]+)\])?\s*(.*)$`)
	paramName = regexp.MustCompile(`^(\w+)\s*[-:]?\s*(.*)$`)
	bullet    = regexp.MustCompile(`^\s*(?:[-*+]|@li|\\li)\s+(.*)$`)
	inlineTag = regexp.MustCompile(`[@\\](?:ref|p|c|a|b|e|em|code|endcode|see|link|endlink)\b\s*`)
	space     = regexp.MustCompile(`\s+`)
)

// parseDoc reads the Doxygen commands that headers use. What it does not know stays as
// text: nothing that an author wrote is lost.
func parseDoc(raw string) doxygen {
	var d doxygen
	var cur *string     // the text that the next line continues
	var items *[]string // the list that a bullet goes to
	d.Text = append(d.Text, "")
	cur, items = &d.Text[0], &d.Text
	brief := false
	for _, line := range strings.Split(raw, "\n") {
		line = strings.TrimRight(line, " \t")
		if m := tagLine.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), `\n`) {
			switch m[1] {
			case "brief":
				d.Brief = m[3]
				cur, brief = &d.Brief, true
				continue
			case "param":
				n := paramName.FindStringSubmatch(m[3])
				if n == nil {
					n = []string{"", m[3], ""}
				}
				d.Params = append(d.Params, docParam{n[1], m[2], n[2]})
				cur, items = &d.Params[len(d.Params)-1].Text, nil
				continue
			case "return", "returns", "retval", "result":
				d.Return = append(d.Return, m[3])
				cur, items = &d.Return[len(d.Return)-1], &d.Return
				continue
			case "note", "warning", "attention", "remark", "pre", "post":
				d.Notes = append(d.Notes, m[3])
				cur, items = &d.Notes[len(d.Notes)-1], nil
				continue
			case "since":
				d.Since = m[3]
				cur, items = &d.Since, nil
				continue
			case "details":
				d.Text = append(d.Text, m[3])
				cur, items, brief = &d.Text[len(d.Text)-1], &d.Text, false
				continue
			case "file", "page", "defgroup", "addtogroup", "ingroup", "name", "struct", "enum", "union", "typedef", "fn", "def", "var":
				continue
			case "code", "endcode", "verbatim", "endverbatim":
				continue
			}
		}
		if m := bullet.FindStringSubmatch(line); m != nil && items != nil {
			*items = append(*items, "  - "+m[1])
			cur = &(*items)[len(*items)-1]
			continue
		}
		text := strings.TrimSpace(line)
		if text == "" {
			if brief || items == &d.Text {
				d.Text = append(d.Text, "")
				cur, items, brief = &d.Text[len(d.Text)-1], &d.Text, false
			}
			continue
		}
		if *cur != "" {
			*cur += " "
		}
		*cur += text
	}
	if d.Brief == "" {
		for i, t := range d.Text {
			if t != "" {
				d.Brief, d.Text[i] = t, ""
				break
			}
		}
	}
	return d
}

// plain is the whole comment as running text.
func plain(raw string) string {
	d := parseDoc(raw)
	parts := append([]string{d.Brief}, d.Text...)
	return clean(strings.Join(append(parts, d.Notes...), " "))
}

var errorCode = regexp.MustCompile(`\bDOCA_ERROR_([A-Z_]+)\b`)

// clean drops inline commands and names error codes as Go does.
func clean(s string) string {
	s = inlineTag.ReplaceAllString(s, "")
	s = errorCode.ReplaceAllStringFunc(s, func(c string) string { return "abi." + model.Exported(c) })
	s = strings.ReplaceAll(s, "DOCA_SUCCESS", "nil")
	return strings.TrimSpace(space.ReplaceAllString(s, " "))
}

// comment wraps paragraphs into a Go comment.
type comment struct{ b strings.Builder }

func (c *comment) para(s string) {
	s = sentence(clean(s))
	if s == "" {
		return
	}
	if c.b.Len() > 0 {
		c.b.WriteString("//\n")
	}
	c.wrap("// ", "// ", s)
}

func (c *comment) item(s string) {
	if s = clean(s); s != "" {
		c.wrap("//   - ", "//     ", s)
	}
}

func (c *comment) wrap(first, rest, s string) {
	line := first
	for i, w := range strings.Fields(s) {
		if i > 0 && len(line)+1+len(w) > 100 {
			c.b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = rest
		}
		if !strings.HasSuffix(line, " ") {
			line += " "
		}
		line += w
	}
	c.b.WriteString(strings.TrimRight(line, " ") + "\n")
}

func (c *comment) String() string { return strings.TrimSuffix(c.b.String(), "\n") }

// sentence ends s with a full stop.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".:!?") {
		return s
	}
	return s + "."
}

// text writes paragraphs and lists.
func (c *comment) text(paras []string) {
	inList := false
	for _, p := range paras {
		if it, ok := strings.CutPrefix(p, "  - "); ok {
			if !inList && c.b.Len() > 0 {
				c.b.WriteString("//\n")
			}
			inList = true
			c.item(it)
			continue
		}
		inList = false
		c.para(p)
	}
}

// tier says what NVIDIA promises of a function.
var tier = map[cparse.Stability]string{
	cparse.Stable:       "Stability: stable.",
	cparse.Experimental: "Stability: experimental, it may change in any release.",
	cparse.Deprecated:   "Deprecated: it will go in a later release.",
	cparse.Inline:       "Stability: inline, the header's own code and no function of the library.",
}

// funcDoc is the comment of a wrapper.
func (f *file) funcDoc(fn *model.Func) string {
	d := parseDoc(fn.Doc)
	c := &comment{}
	brief := clean(d.Brief)
	if brief == "" {
		c.para(fn.GoName + " calls " + fn.CName)
	} else {
		c.para(fn.GoName + " calls " + fn.CName + ": " + lowerFirst(brief))
	}
	c.text(d.Text)
	f.paramDocs(c, fn, d)
	if fn.Ring {
		c.para("Callbacks that run during the call go to ring; a nil ring drops them.")
	}
	var installed []string
	for _, p := range fn.Params {
		if p.Callback != nil {
			installed = append(installed, "Kind"+p.Callback.GoName)
		}
	}
	if len(installed) > 0 {
		c.para("The callbacks are installed; they leave records of " + strings.Join(installed, " and ") + ".")
	}
	if len(d.Return) > 0 && fn.Ret.Mode == model.RetStatus {
		c.b.WriteString("//\n// Errors:\n")
		n := 0
		for _, r := range d.Return {
			if it, ok := strings.CutPrefix(r, "  - "); ok {
				c.item(it)
				n++
			}
		}
		if n == 0 {
			c.item(strings.Join(d.Return, " "))
		}
	} else if len(d.Return) > 0 {
		c.para("Returns " + lowerFirst(clean(strings.Join(d.Return, " "))))
	}
	for _, n := range d.Notes {
		c.para("Note: " + n)
	}
	if d.Since != "" {
		c.para("Since DOCA " + d.Since)
	}
	if t := tier[fn.Stability]; t != "" {
		c.para(t)
	}
	c.b.WriteString("//\n// Implements: " + fn.Prototype() + "\n")
	return c.String()
}

func (f *file) paramDocs(c *comment, fn *model.Func, d doxygen) {
	byName := map[string]docParam{}
	for _, p := range d.Params {
		byName[p.Name] = p
	}
	first := true
	for _, p := range fn.Params {
		doc, ok := byName[p.CName]
		if !ok || doc.Text == "" || p.Mode == model.InTramp || p.Mode == model.Implied {
			continue
		}
		if first {
			c.b.WriteString("//\n// Parameters and results:\n")
			first = false
		}
		name := p.GoName
		if p.Mode == model.InFormat {
			name = "message"
		}
		c.item(name + ": " + lowerFirst(doc.Text))
	}
}

// typeDoc is the comment of a type.
func (f *file) typeDoc(name, is, raw string) string {
	d := parseDoc(raw)
	c := &comment{}
	head := name + " " + is
	if b := clean(d.Brief); b != "" {
		head += ": " + lowerFirst(b)
	}
	c.para(head)
	c.text(d.Text)
	for _, n := range d.Notes {
		c.para("Note: " + n)
	}
	return c.String()
}

// lowerFirst makes a sentence continue another, unless it begins with a name.
func lowerFirst(s string) string {
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' || (s[1] >= 'A' && s[1] <= 'Z') || s[1] == '_' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
