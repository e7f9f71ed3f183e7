package doxygen

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lastBlock is what a comment ends with so far.
type lastBlock int

const (
	nothing lastBlock = iota
	paragraph
	list
	code
)

// blank separates blocks.
func (c *Comment) blank() {
	if c.last != nothing {
		c.b.WriteString("//\n")
	}
}

// Para adds a paragraph: one or more sentences.
func (c *Comment) Para(s string) { c.raw(sentence(s)) }

// raw adds a paragraph as it is.
func (c *Comment) raw(s string) {
	words := words(s)
	if len(words) == 0 {
		return
	}
	if words[0] == "#" && len(words) > 1 {
		words = append([]string{"#" + words[1]}, words[2:]...) // else it is a heading
	}
	if strings.HasPrefix(words[0], "[") {
		for i, w := range words {
			if strings.HasSuffix(w, "]:") {
				words[i] = strings.TrimSuffix(w, ":") // else it defines a link and is not shown
			}
		}
	}
	c.blank()
	c.wrap("// ", "// ", words)
	c.last = paragraph
}

// words are those of a text, but for what gofmt would change: a line that begins with +build
// is taken for a constraint, and two quotes for one.
func words(s string) []string {
	w := strings.Fields(s)
	for i := range w {
		for strings.Contains(w[i], "``") || strings.Contains(w[i], "''") {
			w[i] = quotes.Replace(w[i])
		}
		if strings.HasPrefix(w[i], plusBuild) {
			w[i] = quotedBuild + w[i][len(plusBuild):]
		}
	}
	return w
}

var quotes = strings.NewReplacer("``", `"`, "''", `"`)

const plusBuild, quotedBuild = "+build", `"+build"`

// Heading adds a heading of a package comment.
func (c *Comment) Heading(s string) {
	if s = strings.Join(words(s), " "); s != "" {
		c.blank()
		c.b.WriteString("// # " + s + "\n")
		c.last = paragraph
	}
}

// Items adds a list, below a line that says of what if title is not empty.
func (c *Comment) Items(title string, items []string) { c.list(title, items, false) }

// list adds a list. Two lists, or a list and code, need something between them, or Go takes
// the second for a part of the first.
func (c *Comment) list(title string, items []string, numbered bool) {
	var texts [][]string
	for _, it := range items {
		if words := words(sentence(it)); len(words) > 0 {
			texts = append(texts, words)
		}
	}
	if len(texts) == 0 {
		return
	}
	switch {
	case title != "":
		c.raw(title)
	case c.last == list || c.last == code:
		c.raw("Also:")
	case c.last == nothing:
		c.raw("List:")
	case !strings.HasSuffix(c.b.String(), ":\n"):
		c.b.WriteString("//\n")
	}
	for i, words := range texts {
		marker := "//   - "
		if numbered {
			marker = "//  " + strconv.Itoa(i+1) + ". "
		}
		c.wrap(marker, "//     ", words)
	}
	c.last = list
}

// code adds lines that are not wrapped.
func (c *Comment) code(title string, lines []string) {
	lines = dedent(lines)
	if len(lines) == 0 {
		return
	}
	if listLike.MatchString(lines[0]) { // Go would take it for a list
		c.raw(title)
		for _, l := range lines {
			c.raw(l)
		}
		return
	}
	switch {
	case title != "":
		c.raw(title)
	case c.last == list || c.last == nothing:
		c.raw("Example:")
	}
	c.blank()
	for _, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), plusBuild) {
			l = strings.Replace(l, plusBuild, quotedBuild, 1)
		}
		c.b.WriteString(strings.TrimRight("//\t"+l, "\t") + "\n")
	}
	c.last = code
}

var listLike = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s+\S`)

// marker is a word that would begin an item if a line began with it.
var marker = regexp.MustCompile(`^(?:[-*+•]|\d+[.)])$`)

func (c *Comment) wrap(first, rest string, words []string) {
	line, n := first+words[0], utf8.RuneCountInString(first+words[0])
	for i, w := range words[1:] {
		need := utf8.RuneCountInString(w)
		if n+1+need > c.width && !marker.MatchString(w) && !(i == 0 && marker.MatchString(words[0])) {
			c.b.WriteString(line + "\n")
			line, n = rest+w, utf8.RuneCountInString(rest)+need
			continue
		}
		line, n = line+" "+w, n+1+need
	}
	c.b.WriteString(line + "\n")
}

// sentence ends s with a full stop.
func sentence(s string) string {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;-", r) })
	end := strings.TrimRight(s, `"')]`+"`")
	if end == "" || strings.ContainsRune(".:!?", rune(end[len(end)-1])) && !strings.HasSuffix(s, "]") {
		return s
	}
	return s + "."
}

// dedent takes blank lines at the ends away, and the blanks that all lines start with; what
// remains of an indentation is in tabs, by eights.
func dedent(lines []string) []string {
	out := make([]string, 0, len(lines))
	least := -1
	for _, l := range lines {
		l = strings.TrimRightFunc(l, unicode.IsSpace)
		if l == "" && len(out) == 0 {
			continue
		}
		out = append(out, l)
		if n := indentOf(l); l != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	for i, l := range out {
		if l != "" {
			l = l[least:]
			n := indentOf(l)
			out[i] = strings.Repeat("\t", n/8) + l[n/8*8:]
		}
	}
	return out
}

// indentOf counts the blanks at the start of a line that has no tabs.
func indentOf(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }
