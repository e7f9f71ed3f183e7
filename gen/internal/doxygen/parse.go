package doxygen

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// parser reads a comment line by line.
type parser struct {
	doc   *document
	cur   *section
	open  bool           // the last block of cur goes on with the next line
	blank bool           // the line before was blank
	marks []int          // indentation of the items that are open, outermost first
	outer []int          // the same of the section before
	html  []string       // the lists of HTML that are open
	end   *regexp.Regexp // what ends the code that is open
	code  []string
	close func([]string) // takes it
}

// parse reads the Doxygen and Markdown that headers use. What it does not know stays as
// text: nothing that an author wrote is lost.
func parse(raw string) *document {
	p := &parser{doc: &document{}}
	p.section(secText, "")
	lines := rawLines(raw)
	for i, line := range lines {
		if p.end == nil && definesAmong(lines, i) {
			line = asItem(line)
		}
		p.feed(line)
	}
	if p.end != nil {
		p.endCode()
	}
	p.doc.drop()
	return p.doc
}

// rawLines are the lines of a comment without tabs and without what a Go file cannot have.
func rawLines(raw string) []string {
	raw = strings.ReplaceAll(strings.ToValidUTF8(raw, "?"), "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(raw, "\r", "\n"), "\n")
	for i, l := range lines {
		var b strings.Builder
		n := 0
		for _, r := range l {
			if r == '\t' {
				s := 8 - n%8
				b.WriteString(strings.Repeat(" ", s))
				n += s
				continue
			}
			b.WriteRune(printable(r))
			n++
		}
		lines[i] = strings.TrimRightFunc(b.String(), unicode.IsSpace)
	}
	return lines
}

func printable(r rune) rune {
	if unicode.IsControl(r) || r == '\ufeff' || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

// feed takes a line, or the rest of one.
func (p *parser) feed(line string) {
	for {
		if p.end != nil {
			m := p.end.FindStringIndex(line)
			if m == nil {
				p.code = append(p.code, line)
				return
			}
			p.code = append(p.code, line[:m[0]])
			p.endCode()
			if line = line[m[1]:]; strings.TrimSpace(line) == "" {
				return
			}
			continue
		}
		if name, text, ok := misnamedParam(line); ok {
			p.section(secParam, name)
			if line = text; line == "" {
				return
			}
		} else if label, text, ok := p.ownCommand(line); ok {
			p.section(secNote, label)
			line = text
		}
		head, tag, tail, found := cutLine(line)
		if !found {
			p.line(line)
			return
		}
		if t := strings.TrimSpace(head); t != "" && !marker.MatchString(t) {
			p.line(head)
		}
		var done bool
		if line, done = p.tag(tag, indentOf(line), tail); done || p.end == nil && strings.TrimSpace(line) == "" {
			return
		}
	}
}

// breaks matches what begins something new wherever it stands: a block command behind a
// blank, or a block element of HTML.
var breaks = regexp.MustCompile(`(?i)(^|[\s*])[@\\](?:f[\[{]|[a-z]+)|</?(?:ul|ol|li|dl|dt|dd|p|div|center|blockquote|hr|pre|table|h[1-6])\b[^<>]*>`)

// cutLine finds the first of them. The tag is the command without its @, or the element.
func cutLine(line string) (head, tag, tail string, found bool) {
	for _, m := range breaks.FindAllStringSubmatchIndex(line, -1) {
		if strings.Count(line[:m[0]], "`")%2 == 1 {
			continue // in a piece of code
		}
		if line[m[0]] == '<' {
			return line[:m[0]], line[m[0]:m[1]], line[m[1]:], true
		}
		name := strings.ToLower(line[m[3]+1 : m[1]])
		if _, known := commands[name]; known {
			return line[:m[3]], name, line[m[1]:], true
		}
	}
	return "", "", "", false
}

// tag begins what a block command or an element of HTML begins. It returns what is left of
// the line, unless nothing is.
func (p *parser) tag(tag string, indent int, tail string) (rest string, done bool) {
	if tag[0] == '<' {
		return p.element(tag, tail)
	}
	c := commands[tag]
	if c.args != nil {
		if m := c.args.FindStringSubmatchIndex(tail); m != nil {
			arg := ""
			if len(m) > 2 && m[2] >= 0 {
				arg = tail[m[2]:m[3]]
			}
			return tail[m[1]:], c.begin(p, arg, indent)
		}
	}
	return tail, c.begin(p, "", indent)
}

var elementName = regexp.MustCompile(`\w+`)

func (p *parser) element(tag, tail string) (rest string, done bool) {
	name := strings.ToLower(elementName.FindString(tag))
	closing := strings.HasPrefix(tag, "</")
	depth := 2 * len(p.html)
	switch {
	case name == "pre" && !closing:
		p.startCode(`(?i)</pre\s*>`, p.preformatted)
	case name == "table" && !closing:
		p.startCode(`(?i)</table\s*>`, p.htmlTable)
	case closing && (name == "ul" || name == "ol" || name == "dl"):
		if len(p.html) > 0 {
			p.html = p.html[:len(p.html)-1]
		}
		if len(p.html) == 0 {
			p.line("")
		}
	case name == "ul" || name == "ol" || name == "dl":
		p.html = append(p.html, name)
	case closing && name == "dt":
		if b := p.lastBlock(); b != nil && b.Kind == blockList {
			b.Items[len(b.Items)-1] += ":"
		}
	case (name == "li" || name == "dt") && !closing:
		p.item(depth, len(p.html) > 0 && p.html[len(p.html)-1] == "ol", "")
	case name[0] == 'h' && len(name) == 2 && name != "hr" && !closing:
		p.line("")
		p.heading("")
	case name == "li" || name == "dd" || name == "dt":
	case len(p.html) > 0: // a paragraph inside an item
	default:
		p.line("")
	}
	return tail, false
}

var (
	bullet  = regexp.MustCompile(`^( *)(?:[-*+•]|(-#)|(\d{1,3})[.)]) +(\S.*)$`)
	atx     = regexp.MustCompile(`^ {0,3}#{1,6} +(.*?)[ #]*(?:\{#[\w-]+\})?$`)
	ruler   = regexp.MustCompile(`^ *(?:-{3,}|={3,}|\*{3,}|_{3,}|~{4,}|#{3,}|(?:[-*_] ){2,}[-*_])$`)
	fence   = regexp.MustCompile("^ *(```+|~~~+)[^`]*$")
	codeAt  = regexp.MustCompile(`^(?:[#]|::)?DOCA_(?:ERROR_\w+|SUCCESS)\b`)
	rowLine = regexp.MustCompile(`^ *\|.*\| *$`)
)

// line takes a line, or a part of one, that begins no section.
func (p *parser) line(line string) {
	text := strings.TrimSpace(line)
	switch m := bullet.FindStringSubmatch(line); {
	case p.cur.Kind == secReturn && tightItem.MatchString(line):
		p.item(indentOf(line), false, strings.TrimLeft(text, "-* "))
	case text == "" || ruler.MatchString(line):
		p.open, p.blank = false, true
	case fence.MatchString(line):
		p.startCode("^ *"+fence.FindStringSubmatch(line)[1]+"+ *$", p.addCode)
	case m != nil && (p.open && m[3] != "" && m[3] != "1" && len(p.marks) == 0):
		p.text(line, text) // a number that happens to begin a line
	case m != nil:
		p.item(len(m[1]), m[2] != "" || m[3] != "", m[4])
	case atx.MatchString(line):
		p.heading(atx.FindStringSubmatch(line)[1])
	case rowLine.MatchString(line):
		p.row(text)
	default:
		p.text(line, text)
	}
}

// text goes on with what is open, or begins a paragraph.
func (p *parser) text(line, text string) {
	if p.cur.Kind == secReturn && !p.unfinished() && codeAt.MatchString(text) && (len(p.marks) == 0 || indentOf(line) <= p.marks[0]) {
		p.item(0, false, text)
		p.marks = []int{noIndent} // bullets below are items like it
		return
	}
	if p.cur.Kind == secReturn && p.open && announcesErrors(text) {
		p.open, p.marks = false, nil // it is no part of the item above
	}
	last := p.lastBlock()
	if p.open && len(p.html) == 0 && len(p.marks) > 0 && p.marks[0] < noIndent && indentOf(line) < p.marks[0] {
		p.open = false // to the left of the list
	}
	switch {
	case p.open:
		p.append(text)
		return
	case p.blank && last != nil && last.Kind == blockList && len(p.marks) > 0 && indentOf(line) > p.marks[0]:
		p.append(text) // another paragraph of the item
		p.open = true
		return
	case p.blank && p.cur.Kind == secText && last != nil && last.Kind == blockPara && indentOf(line) >= 4,
		p.cur.Kind == secText && last != nil && last.Indented && indentOf(line) >= 4:
		p.indented(line)
		return
	case p.blank:
		p.leave()
	}
	p.marks = nil
	p.cur.Blocks = append(p.cur.Blocks, block{Kind: blockPara, Text: text})
	p.open, p.blank = true, false
}

// unfinished tells whether the last line ended in the middle of a sentence.
func (p *parser) unfinished() bool {
	last := p.lastBlock()
	if !p.open || last == nil {
		return false
	}
	text := last.Text
	if last.Kind == blockList {
		text = last.Items[len(last.Items)-1]
	}
	return connector.MatchString(text)
}

// noIndent is deeper than any item.
const noIndent = 1 << 20

// indented is a line of Markdown's indented code.
func (p *parser) indented(line string) {
	last := p.lastBlock()
	if last.Kind != blockCode {
		p.cur.Blocks = append(p.cur.Blocks, block{Kind: blockCode, Indented: true})
		last = p.lastBlock()
	} else if p.blank {
		last.Code = append(last.Code, "")
	}
	last.Code = append(last.Code, line)
	p.open, p.blank = false, false
}

// append adds a line to the last paragraph or item.
func (p *parser) append(text string) {
	b := p.lastBlock()
	s := &b.Text
	if b.Kind == blockList {
		s = &b.Items[len(b.Items)-1]
	}
	if *s != "" {
		*s = endSentence(*s, text) + " "
	}
	*s += text
	p.blank = false
}

// item begins an item of a list.
func (p *parser) item(indent int, numbered bool, text string) {
	if p.cur.Kind == secNote && len(p.marks) == 0 && len(p.outer) > 0 && p.outer[0] == indent && !p.announced() {
		p.leave() // the list that the note interrupts goes on
	}
	last := p.lastBlock()
	if p.blank && (last == nil || last.Kind != blockList) && !(p.cur.Kind == secReturn || p.announced()) {
		p.leave()
		last = p.lastBlock()
	}
	if last == nil || last.Kind != blockList {
		p.marks = nil
		p.cur.Blocks = append(p.cur.Blocks, block{Kind: blockList, Numbered: numbered})
		last = p.lastBlock()
	}
	for len(p.marks) > 0 && indent < p.marks[len(p.marks)-1] {
		p.marks = p.marks[:len(p.marks)-1]
	}
	if len(p.marks) == 0 || indent > p.marks[len(p.marks)-1] {
		p.marks = append(p.marks, indent)
	}
	if len(p.marks) > 1 && len(last.Items) > 0 {
		last.Items[len(last.Items)-1] += subItem + text
	} else {
		last.Items = append(last.Items, text)
	}
	p.open, p.blank = true, false
}

// announced tells whether a list behind a blank line belongs to the section in front of it.
func (p *parser) announced() bool {
	last := p.lastBlock()
	return last == nil || strings.HasSuffix(last.Text, ":")
}

func (p *parser) heading(text string) {
	p.leave()
	p.marks = nil
	p.cur.Blocks = append(p.cur.Blocks, block{Kind: blockHeading, Text: text})
	p.open, p.blank = text == "", false
}

// leave ends a section: a paragraph behind a blank line is text again.
func (p *parser) leave() {
	if p.cur.Kind != secText {
		p.section(secText, "")
	}
}

func (p *parser) section(k sectionKind, name string) {
	p.cur = &section{Kind: k, Name: name}
	p.doc.Sections = append(p.doc.Sections, p.cur)
	p.open, p.blank, p.marks, p.outer, p.html = false, false, nil, p.marks, nil
}

func (p *parser) lastBlock() *block {
	if n := len(p.cur.Blocks); n > 0 {
		return &p.cur.Blocks[n-1]
	}
	return nil
}

// startCode begins lines that are taken as they are, up to what matches end.
func (p *parser) startCode(end string, take func([]string)) {
	p.end, p.close, p.code = regexp.MustCompile(end), take, nil
}

func (p *parser) endCode() {
	lines, take := p.code, p.close
	p.end, p.code = nil, nil
	p.open, p.marks = false, nil
	take(lines)
}

func (p *parser) addCode(lines []string) {
	p.cur.Blocks = append(p.cur.Blocks, block{Kind: blockCode, Code: lines})
	p.open, p.blank = false, false
}

// preformatted is code in HTML.
func (p *parser) preformatted(lines []string) {
	for i, l := range lines {
		lines[i] = strings.Map(printable, html.UnescapeString(l))
	}
	p.addCode(lines)
}

func (p *parser) htmlTable(lines []string) {
	for _, r := range htmlRows(strings.Join(lines, " ")) {
		p.row(r)
	}
}

// row adds a row to a table.
func (p *parser) row(text string) {
	if last := p.lastBlock(); last != nil && last.Kind == blockTable && !p.blank {
		last.Items = append(last.Items, text)
		return
	}
	p.cur.Blocks = append(p.cur.Blocks, block{Kind: blockTable, Items: []string{text}})
	p.open, p.blank, p.marks = false, false, nil
}
