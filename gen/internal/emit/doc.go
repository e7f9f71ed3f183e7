package emit

import (
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// takeBrief takes the first sentence or paragraph of a comment, what a summary is made of,
// out of it.
func (d *doxygen) takeBrief() string {
	for _, kind := range []sectionKind{secBrief, secText} {
		for _, s := range d.Sections {
			if s.Kind == kind && len(s.Blocks) > 0 && s.Blocks[0].Kind == blockPara {
				text := s.Blocks[0].Text
				s.Blocks = s.Blocks[1:]
				return text
			}
		}
	}
	return ""
}

// of are the sections of a kind.
func (d *doxygen) of(kinds ...sectionKind) []*docSection {
	var out []*docSection
	for _, s := range d.Sections {
		for _, k := range kinds {
			if s.Kind == k {
				out = append(out, s)
			}
		}
	}
	return out
}

// flat is the text of all sections of a kind.
func (s *docScope) flat(d *doxygen, kind sectionKind) string {
	var blocks []docBlock
	for _, sec := range d.of(kind) {
		blocks = append(blocks, sec.Blocks...)
	}
	return s.text(flatText(blocks))
}

// blocks writes paragraphs, lists, tables and code.
func (s *docScope) blocks(c *comment, label string, blocks []docBlock) {
	for i, b := range blocks {
		switch b.Kind {
		case blockPara:
			paras := s.inline(b.Text)
			for j, p := range paras {
				if j == len(paras)-1 && i+1 < len(blocks) {
					p = announce(p, blocks[i+1].Kind)
				}
				c.para(label + p)
				label = ""
			}
			continue
		case blockHeading:
			c.heading(s.text(b.Text))
			continue
		}
		c.raw(strings.TrimSuffix(label, " "))
		label = ""
		switch b.Kind {
		case blockList:
			var items []string
			for _, it := range b.Items {
				items = append(items, s.text(flatItem(it)))
			}
			c.list("", items, b.Numbered)
		case blockTable:
			if len(b.Items) == 1 {
				c.para(s.text(strings.Join(rowCells(b.Items[0]), ", ")))
				continue
			}
			plain := *s
			plain.bare = true
			c.code("", tableLines(b.Items, plain.text))
		case blockCode:
			c.code("", b.Code)
		}
	}
}

// announce ends a text that a list or code follows.
func announce(p string, next blockKind) string {
	if r := p[len(p)-1]; next != blockPara && next != blockHeading && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9') {
		return p + ":"
	}
	return p
}

// body writes what is not a parameter, a result or a status: the text and the notes.
func (s *docScope) body(c *comment, d *doxygen) {
	for _, sec := range d.of(secBrief, secText) {
		s.blocks(c, "", sec.Blocks)
	}
	for _, sec := range d.of(secNote) {
		label := ""
		if t := strings.TrimSuffix(s.text(sec.Name), ":"); t != "" {
			label = t + ": "
		}
		s.blocks(c, label, sec.Blocks)
	}
}

// end writes what a comment ends with: where to read on, and the status.
func (s *docScope) end(c *comment, d *doxygen, st cparse.Stability) {
	var see []string
	for _, sec := range d.of(secSee) {
		if t := strings.TrimRight(s.text(flatText(sec.Blocks)), ".;, "); t != "" {
			see = append(see, t)
		}
	}
	if len(see) > 0 {
		c.para("See " + strings.Join(see, ", "))
	}
	deprecated := ""
	if secs := d.of(secDeprecated); len(secs) > 0 {
		if deprecated = s.flat(d, secDeprecated); deprecated == "" {
			st = cparse.Deprecated
		}
	}
	since := strings.TrimPrefix(strings.TrimRight(s.flat(d, secSince), "."), "DOCA ")
	if since == "" {
		since = s.since
	}
	c.status(st, since, deprecated)
}

// funcDoc is the comment of a wrapper.
func (f *file) funcDoc(fn *model.Func) string {
	d, s, c := parseDoc(fn.Doc), f.funcScope(fn), newComment(lineWidth)
	s.funcSummary(c, fn, d.takeBrief())
	s.body(c, d)
	in, out, callbacks := f.paramItems(fn, s, d)
	var status returned
	switch {
	case fn.Ret.Mode == model.RetStatus:
		status = s.status(d)
	case len(d.of(secReturn, secValue)) > 0:
		if t := s.result(d); fn.Ret.Mode == model.RetVoid {
			c.para("It returns " + t)
		} else {
			call := f.call(fn)
			out = append(out, call.results[len(call.results)-1].name+": "+lowerFirst(t))
		}
	}
	c.items("Parameters:", in)
	c.items("Results:", out)
	c.items("It installs the callbacks that leave these records:", callbacks)
	for _, t := range []string{addressDoc(fn), pointersDoc(fn)} {
		if t != "" {
			c.para(t)
		}
	}
	for _, t := range status.Text {
		c.para(t)
	}
	c.items("Errors:", status.Errors)
	if span := f.spans[fn.CName]; span.Before != "" {
		c.para("DOCA " + span.Before + " does not have the C function: there, the error is an [abi.SymbolError]")
	}
	if span := f.spans[fn.CName]; span.From != "" {
		c.para("Before DOCA " + span.From + " the C function was another one: there, the error is an [abi.SymbolError]")
	}
	if span := f.spans[fn.CName]; span.Until != "" {
		c.para("As of DOCA " + span.Until + " the C function is another one: there, the error is an [abi.SymbolError]")
	}
	s.end(c, d, fn.Stability)
	c.prototype(fn.Prototype())
	return c.String()
}

// addressDoc says why a pointer of C's is a number in Go.
func addressDoc(fn *model.Func) string {
	var in, out []string
	for _, p := range fn.Params {
		switch {
		case !p.IsAddress():
		case p.Mode.IsOut():
			out = append(out, p.GoName)
		default:
			in = append(in, p.GoName)
		}
	}
	number := func(names []string) string {
		if len(names) == 1 {
			return names[0] + " is a number and no pointer"
		}
		return strings.Join(names, " and ") + " are numbers and no pointers"
	}
	const why = ", for memory that was imported has addresses of another process"
	switch {
	case in != nil:
		return number(in) + why + ". Memory of Go's must be pinned for as long as DOCA may use it."
	case out != nil:
		return number(out) + why + "."
	}
	return ""
}

// pointersDoc says whose the memory behind a pointer to pointers is.
func pointersDoc(fn *model.Func) string {
	var names []string
	for _, p := range fn.Params {
		if p.PointsToPointers() {
			names = append(names, p.GoName)
		}
	}
	if names == nil {
		return ""
	}
	points := " points"
	if len(names) > 1 {
		points = " point"
	}
	return strings.Join(names, " and ") + points + ` to pointers, all to memory of C, such as [abi.Alloc] gives, and none to Go's. The
		memory is the caller's to keep for as long as DOCA may use it, and to free; what DOCA has put there is whose the text says.`
}

// funcSummary begins the comment of a function.
func (s *docScope) funcSummary(c *comment, fn *model.Func, brief string) {
	if rest, ok := strings.CutPrefix(brief, fn.CName); ok {
		brief = strings.TrimLeft(strings.TrimPrefix(rest, "()"), " -:")
	}
	paras := s.inline(brief)
	if len(paras) == 0 {
		c.para(fn.GoName + " calls " + fn.CName)
		return
	}
	if p, ok := predicate(paras[0]); ok {
		c.para(fn.GoName + " " + p)
	} else {
		c.para(fn.GoName + " calls " + fn.CName + ": " + lowerFirst(paras[0]))
	}
	for _, p := range paras[1:] {
		c.para(p)
	}
}

// result is what a function that returns no status returns.
func (s *docScope) result(d *doxygen) string {
	t := s.flat(d, secReturn)
	var values []string
	for _, sec := range d.of(secValue) {
		values = append(values, s.link(sec.Name)+": "+strings.TrimRight(s.text(flatText(sec.Blocks)), "."))
	}
	return flatItem(strings.Join(append([]string{t}, values...), subItem))
}

// typeDoc is the comment of a type that is is in C. What more there is to say of it is more.
func (f *file) typeDoc(d model.Decl, is string, more ...string) string {
	doc, s, c := parseDoc(d.Doc), f.scope(d.CName), newComment(lineWidth)
	summary, said := s.nounSummary(d.GoName, is, doc.takeBrief())
	c.para(summary)
	s.body(c, doc)
	s.members(c, doc)
	if !said {
		more = slices.Insert(more, 0, "It is "+is+" in C.")
	}
	c.para(strings.Join(more, " "))
	s.end(c, doc, d.Stability)
	return c.String()
}

// nounSummary begins the comment of something that is no function. said tells whether that
// has what it is in C.
func (s *docScope) nounSummary(goName, is, brief string) (summary string, said bool) {
	text := s.text(brief)
	if text == "" {
		return goName + " is " + is, true
	}
	if p, ok := predicate(text); ok && (article.MatchString(text) || strings.HasPrefix(text, strings.ToUpper(p[:1])+firstWord.FindString(p)[1:])) {
		return goName + " " + p, false
	}
	return goName + " is " + is + ": " + lowerFirst(text), true
}

// members writes the sections that only functions have and authors put elsewhere as well.
func (s *docScope) members(c *comment, d *doxygen) {
	var items []string
	for _, sec := range d.params() {
		items = append(items, sec.Name+": "+lowerFirst(s.text(flatText(sec.Blocks))))
	}
	for _, sec := range d.of(secValue) {
		items = append(items, s.link(sec.Name)+": "+lowerFirst(s.text(flatText(sec.Blocks))))
	}
	c.items("In it:", items)
	if t := s.flat(d, secReturn); t != "" {
		c.para("It returns " + lowerFirst(t))
	}
}

// constDoc is the comment of a constant, or an enumerator.
func (f *file) constDoc(goName, cName, raw string) string {
	return f.scope(cName).constDoc(goName, cName, raw)
}

func (s *docScope) constDoc(goName, cName, raw string) string {
	doc, c := parseDoc(raw), newComment(groupWidth)
	text := s.text(doc.takeBrief())
	if text != "" {
		text = ": " + lowerFirst(text)
	}
	c.para(goName + " is " + cName + text)
	s.body(c, doc)
	s.members(c, doc)
	s.end(c, doc, "")
	return c.String()
}

// memberDoc is the comment of a method for a member of a struct, which text says.
func (f *file) memberDoc(struc, text, raw string) string {
	doc, s, c := parseDoc(raw), f.scope(struc), newComment(lineWidth)
	c.para(text)
	c.para(s.text(doc.takeBrief()))
	s.body(c, doc)
	s.members(c, doc)
	s.end(c, doc, "")
	return c.String()
}

// fieldDoc is the comment of a member of a struct.
func (f *file) fieldDoc(struc, raw string) string {
	doc, s, c := parseDoc(raw), f.scope(struc), newComment(groupWidth)
	c.para(upperFirst(s.text(doc.takeBrief())))
	s.body(c, doc)
	s.members(c, doc)
	s.end(c, doc, "")
	return c.String()
}
