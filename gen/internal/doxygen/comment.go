package doxygen

import (
	"regexp"
	"strings"
)

// The widths that prose is wrapped to: of a declaration at the left margin, and of one inside
// a group, which a tab stands in front of.
const (
	LineWidth  = 100
	GroupWidth = 92
)

// Comment is a Go doc comment in the making. Whatever is put into it, gofmt leaves the result
// as it is.
type Comment struct {
	scope *Scope
	doc   *document
	b     strings.Builder
	width int
	last  lastBlock
}

// NewComment begins a comment that takes what a C comment says, as it reads in a scope. Both may be
// empty (nil and ""): then Para and the like write all of it.
func NewComment(scope *Scope, raw string, width int) *Comment {
	if scope == nil {
		scope = &Scope{}
	}
	return &Comment{scope: scope, doc: parse(raw), width: width}
}

// Empty tells whether the C comment says nothing, or nothing any more.
func (c *Comment) Empty() bool { return len(c.doc.Sections) == 0 }

// String is the comment, with slashes.
func (c *Comment) String() string { return strings.TrimSuffix(c.b.String(), "\n") }

// Brief takes the first sentence or paragraph out of the C comment.
func (c *Comment) Brief() string { return c.scope.Text(c.doc.takeBrief()) }

// Does begins the text about the C function cName, which has no Go function.
func (c *Comment) Does(cName string) { c.begin(cName, cName, "") }

// Calls begins the comment of the Go function goName, which calls cName.
func (c *Comment) Calls(goName, cName string) { c.begin(goName, cName, " calls "+cName) }

// begin takes the brief for what a function does; calls stands before one that has no verb.
func (c *Comment) begin(goName, cName, calls string) {
	paras := c.scope.inline(withoutName(c.doc.takeBrief(), cName))
	if len(paras) == 0 {
		c.Para(goName + calls)
		return
	}
	p, ok := predicate(paras[0])
	switch {
	case ok:
		c.Para(goName + " " + p)
	case isSentence(paras[0]) && calls != "":
		c.Para(goName + calls + ". " + paras[0])
	default:
		c.Para(goName + calls + ": " + LowerFirst(paras[0]))
	}
	for _, p := range paras[1:] {
		c.Para(p)
	}
}

// withoutName is a brief without the name of what it is about in front.
func withoutName(brief, cName string) string {
	if rest, ok := strings.CutPrefix(brief, cName); ok && cName != "" && !strings.HasPrefix(rest, "_") {
		return strings.TrimLeft(strings.TrimPrefix(rest, "()"), " -:")
	}
	return brief
}

// BriefOf is Brief for what has the name cName in C, which its comment may begin with.
func (c *Comment) BriefOf(cName string) string {
	return c.scope.Text(withoutName(c.doc.takeBrief(), cName))
}

// Is begins the comment of something that is no function. said tells whether that has what it
// is in C.
func (c *Comment) Is(goName, is string) (said bool) {
	text := c.Brief()
	if text == "" {
		c.Para(goName + " is " + is)
		return true
	}
	if rest := thisType.ReplaceAllString(text, ""); rest != text && verbForms[firstWord.FindString(rest)] == firstWord.FindString(rest) {
		c.Para(goName + " " + rest)
		return false
	}
	if p, ok := predicate(text); ok && (article.MatchString(text) || thisIs.MatchString(text) || strings.HasPrefix(text, strings.ToUpper(p[:1])+firstWord.FindString(p)[1:])) {
		c.Para(goName + " " + p)
		return false
	}
	c.Para(goName + " is " + is + ": " + LowerFirst(text))
	return true
}

// Body writes what is not a parameter, a result or a status: the text and the notes.
func (c *Comment) Body() {
	for _, sec := range c.doc.of(secBrief) {
		c.blocks("", sec.Blocks)
	}
	for _, sec := range c.doc.of(secText, secNote) { // a text behind a note stays there
		if sec.Kind == secText {
			c.blocks("", withoutStock(sec.Blocks))
			continue
		}
		label := ""
		if t := strings.TrimSuffix(c.scope.Text(sec.Name), ":"); t != "" {
			label = t + ": "
		}
		c.blocks(label, withoutBullet(sec.Blocks))
	}
}

// BodyWithoutHeadings is Body for text that stands below a heading of its own.
func (c *Comment) BodyWithoutHeadings() {
	for _, sec := range c.doc.of(secText) {
		for i := range sec.Blocks {
			if sec.Blocks[i].Kind == blockHeading {
				sec.Blocks[i].Kind = blockPara
			}
		}
	}
	c.Body()
}

// Members writes the sections that only functions have, and that authors put elsewhere as well.
func (c *Comment) Members() {
	var items []string
	for _, sec := range c.doc.params() {
		items = append(items, sec.Name+": "+LowerFirst(c.scope.Text(flatText(sec.Blocks))))
	}
	for _, sec := range c.doc.of(secValue) {
		items = append(items, c.scope.Link(sec.Name)+": "+LowerFirst(c.scope.Text(flatText(sec.Blocks))))
	}
	c.Items("Members:", items)
	if t := c.scope.flat(c.doc, secReturn); t != "" {
		c.Para("It returns " + LowerFirst(t))
	}
}

// Promise is what DOCA promises of a declaration.
type Promise struct {
	Experimental, Deprecated, Inline bool
	Since                            string // the release that brought it, where the C comment says none
}

// End writes what a comment ends with: where to read on, and the promise.
func (c *Comment) End(p Promise) {
	var see []string
	for _, sec := range c.doc.of(secSee) {
		if t := strings.TrimRight(c.scope.Text(flatText(sec.Blocks)), ".;, "); t != "" {
			see = append(see, t)
		}
	}
	if len(see) > 0 {
		c.Para("See " + strings.Join(see, ", "))
	}
	reason := ""
	if secs := c.doc.of(secDeprecated); len(secs) > 0 {
		p.Deprecated = true
		reason = c.scope.flat(c.doc, secDeprecated)
	}
	if since := strings.TrimPrefix(strings.TrimRight(c.scope.flat(c.doc, secSince), "."), "DOCA "); since != "" {
		p.Since = since
	}
	c.promise(p, reason)
}

func (c *Comment) promise(p Promise, reason string) {
	const may = "it may change in any release"
	switch {
	case p.Experimental && p.Since != "":
		c.Para("Experimental, since DOCA " + p.Since + ": " + may)
	case p.Experimental:
		c.Para("Experimental: " + may)
	case p.Since != "":
		c.Para("Since DOCA " + p.Since)
	}
	if p.Inline {
		c.Para("It is a static inline function of the header, which no library exports")
	}
	switch {
	case reason != "":
		c.Para("Deprecated: " + c.scope.capital(reason))
	case p.Deprecated:
		c.Para("Deprecated: DOCA may remove it in a later release")
	}
}

// blocks writes paragraphs, lists, tables and code. The label stands in front of the first.
func (c *Comment) blocks(label string, blocks []block) {
	s := c.scope
	for i, b := range blocks {
		switch b.Kind {
		case blockPara:
			paras := s.inline(b.Text)
			for j, p := range paras {
				if j == len(paras)-1 && i+1 < len(blocks) {
					p = announce(p, blocks[i+1].Kind)
				}
				if c.last == paragraph || label != "" {
					p = s.capital(p)
				}
				c.Para(label + p)
				label = ""
			}
			continue
		case blockHeading:
			c.Heading(s.Text(b.Text))
			continue
		}
		c.raw(strings.TrimSuffix(label, " "))
		label = ""
		switch b.Kind {
		case blockList:
			var items []string
			for _, it := range b.Items {
				items = append(items, s.Text(flatItem(it)))
			}
			c.list("", items, b.Numbered)
		case blockTable:
			if len(b.Items) == 1 {
				c.Para(s.Text(strings.Join(rowCells(b.Items[0]), ", ")))
				continue
			}
			plain := *s
			plain.bare = true
			c.code("", tableLines(b.Items, plain.Text))
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

// HasResult tells whether the C comment says what is returned.
func (c *Comment) HasResult() bool { return len(c.doc.of(secReturn, secValue)) > 0 }

// itReturns is what goes without saying of a result.
var itReturns = regexp.MustCompile(`^(?i:(?:(?:this|the) (?:function|method|call|routine|macro|api)|it) )?(?i:(?:will )?returns?) `)

// Result is what a function that returns no status returns.
func (c *Comment) Result() string {
	values := []string{terminated.ReplaceAllString(itReturns.ReplaceAllString(withoutStockText(c.scope.flat(c.doc, secReturn)), ""), "")}
	for _, sec := range c.doc.of(secValue) {
		values = append(values, c.scope.Link(sec.Name)+": "+strings.TrimRight(c.scope.Text(flatText(sec.Blocks)), "."))
	}
	if len(values) == 1 {
		return flatItem(values[0])
	}
	if text := UpperFirst(flatItem(values[0])); text != "" { // values come first
		return sentence(flatItem(strings.Join(append([]string{""}, values[1:]...), subItem))) + " " + text
	}
	return flatItem(strings.Join(values, subItem))
}

// Aside is what a function that returns nothing says of its result all the same.
func (c *Comment) Aside() string {
	var blocks []block
	for _, sec := range c.doc.of(secReturn) {
		blocks = append(blocks, sec.Blocks...)
	}
	text := withoutFillers(withoutStockText(success.ReplaceAllString(flatText(blocks), "Success")))
	return c.scope.capital(c.scope.Text(text))
}
