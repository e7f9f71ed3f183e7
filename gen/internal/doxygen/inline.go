package doxygen

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inline makes prose of Doxygen's inline form: Go names for C names, links for those that are
// bound, and no markup. The paragraphs are where the author wanted a new line.
func (s *Scope) inline(text string) []string {
	w := &inlineWriter{scope: s, in: nonNull.ReplaceAllString(text, "non-NULL")}
	for w.at < len(w.in) {
		w.next()
	}
	var out []string
	for _, p := range strings.Split(w.out.String(), lineBreak) {
		if p = s.withNotes(plainWords(p)); p != "" {
			out = append(out, p)
		}
	}
	return out
}

var (
	latin      = regexp.MustCompile(`\b(e\.g\.|i\.e\.)(,?)`)
	nonNull    = regexp.MustCompile(`\b[Nn]on[ -]?(?:NULL|null|Null)\b`)
	early      = regexp.MustCompile(`(\S) +([,;]) ?`)              // a blank in front of a comma
	lateStop   = regexp.MustCompile(`(\S) +([.!?])( |$)`)          // and of a full stop
	twoStops   = regexp.MustCompile(`([^.])(?:[,;:]\.|\.\.)( |$)`) // not an ellipsis
	startNil   = regexp.MustCompile(`\. nil (if|when|in|on|upon|otherwise|means)\b`)
	noteInside = regexp.MustCompile(`\b(?:(NOTE|NB|Note|WARNING|IMPORTANT|ATTENTION|CAUTION)(?:\s*:| -)|N\.B\.:?)\s*`)
)

// plainWords spells out abbreviations that look like the end of a sentence, and puts punctuation where it belongs.
func plainWords(s string) string {
	s = latin.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "e") {
			return "for example" + m[4:]
		}
		return "that is,"
	})
	s = strings.Join(strings.Fields(s), " ")
	if strings.Contains(s, "`") {
		return s // what is code may need its blanks
	}
	s = early.ReplaceAllString(s, "$1$2 ")
	s = lateStop.ReplaceAllString(s, "$1$2$3")
	s = twoStops.ReplaceAllString(s, "$1.$2")
	return strings.TrimSpace(startNil.ReplaceAllString(s, "; nil $1"))
}

// withNotes gives the notes inside a text the form of those that have a paragraph.
func (s *Scope) withNotes(t string) string {
	m := noteInside.FindStringSubmatchIndex(t)
	if m == nil || m[1] == len(t) {
		return t
	}
	label := "Note"
	if m[2] >= 0 && t[m[2]:m[3]] != "NB" {
		label = t[m[2]:m[2]+1] + strings.ToLower(t[m[2]+1:m[3]])
	}
	return t[:m[0]] + label + ": " + s.capital(s.withNotes(t[m[1]:]))
}

// inlineWriter converts one piece of text.
type inlineWriter struct {
	scope *Scope
	in    string
	at    int
	out   strings.Builder
	prev  rune   // the last rune of in that is behind at, 0 at the start
	href  string // of the link that is open
}

var (
	wordRun   = regexp.MustCompile(`^[A-Za-z_]\w*`)
	nextWord  = regexp.MustCompile(`^\s*(\S+)`)
	urlRun    = regexp.MustCompile(`^(?:https?|ftp)://[^\s<>"]*[^\s<>".,;:!?')\]]`)
	autoLink  = regexp.MustCompile(`^<((?:https?|ftp|mailto):[^\s<>]+)>`)
	mdLink    = regexp.MustCompile(`^!?\[([^\[\]]+)\]\(\s*(?:[@\\]ref\s+)?(\S+?)(?:\s+"[^"]*")?\)`)
	entity    = regexp.MustCompile(`^&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);`)
	tagRun    = regexp.MustCompile(`(?i)^</?(?:a|abbr|b|big|br|cite|code|dd|del|dfn|dt|em|font|i|img|ins|kbd|li|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|blink)(?:\s[^<>]*)?/?>`)
	hrefOf    = regexp.MustCompile(`(?i)\bhref\s*=\s*["']([^"']*)["']`)
	altOf     = regexp.MustCompile(`(?i)\balt\s*=\s*["']([^"']*)["']`)
	escaped   = regexp.MustCompile(`^[@\\](?:::|---?|[@\\&$#<>%".=|~*_{}-])`)
	command   = regexp.MustCompile(`^[@\\]([A-Za-z]+)(?:\{[^{}]*\})?`)
	formula   = regexp.MustCompile(`^[@\\]f\$(.*?)[@\\]f\$|^[@\\]f\((.*?)[@\\]f\)`)
	linkText  = regexp.MustCompile(`^\s*(.*?)\s*[@\\]endlink\b`)
	refText   = regexp.MustCompile(`^\s+"([^"]*)"`)
	codeRun   = regexp.MustCompile("^(?:``+ ?(.+?) ?``+|`([^`]+)`)")
	emphasis  = regexp.MustCompile(`^(?:\*\*\*([^\s*](?:[^*]*[^\s*])?)\*\*\*|\*\*([^\s*](?:[^*]*[^\s*])?)\*\*|\*([^\s*](?:[^*]*[^\s*])?)\*|__([A-Za-z]+(?: [A-Za-z]+)+)__|_([A-Za-z]+(?: [A-Za-z]+)*)_)`)
	structRun = regexp.MustCompile(`^(?:struct|enum|union)\s+(\w+)`)
	member    = regexp.MustCompile(`^(?:->|::)\b`)
	// terminator follows a NULL that is no pointer.
	terminator = regexp.MustCompile(`^[ -](?:byte|char|terminat)`)
	fileEnd    = regexp.MustCompile(`^\.[a-z]{1,3}\b`)
)

// next converts what stands at at.
func (w *inlineWriter) next() {
	rest := w.in[w.at:]
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case r == '`' && codeRun.MatchString(rest):
		m := codeRun.FindStringSubmatch(rest)
		w.code(m[1] + m[2])
		w.skip(len(m[0]))
	case r == '@' || r == '\\':
		w.command(rest)
	case r == '<' && (autoLink.MatchString(rest) || tagRun.MatchString(rest)):
		w.element(rest)
	case r == '&' && entity.MatchString(rest):
		m := entity.FindString(rest)
		w.out.WriteString(strings.Map(printable, html.UnescapeString(m)))
		w.skip(len(m))
	case (r == '[' || r == '!') && mdLink.MatchString(rest):
		m := mdLink.FindStringSubmatch(rest)
		w.link(m[1], m[2])
		w.skip(len(m[0]))
	case (r == '*' || r == '_') && w.emphasized(rest):
		m := emphasis.FindStringSubmatch(rest)
		w.out.WriteString(w.scope.Text(strings.Join(m[1:], "")))
		w.skip(len(m[0]))
	case (r == '#' || r == ':') && !isWord(w.prev) && w.reference(rest):
	case r == '%' && !isWord(w.prev) && len(wordRun.FindString(rest[1:])) > 3:
		m := wordRun.FindString(rest[1:]) // % forbids Doxygen a link, not us
		w.skip(1)
		w.identifier(m, false)
	case !isWord(w.prev) && (r == '_' || r < utf8.RuneSelf && unicode.IsLetter(r)):
		if u := urlRun.FindString(rest); u != "" {
			w.out.WriteString(u)
			w.skip(len(u))
			return
		}
		if m := structRun.FindStringSubmatch(rest); m != nil && w.bound(m[1]) {
			w.skip(len(m[0]) - len(m[1]))
			w.identifier(m[1], true)
			return
		}
		w.identifier(wordRun.FindString(rest), false)
	default:
		w.out.WriteRune(r)
		w.skip(n)
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// skip goes on in the text.
func (w *inlineWriter) skip(n int) {
	w.at += n
	w.prev, _ = utf8.DecodeLastRuneInString(w.in[:w.at])
}

func (w *inlineWriter) bound(c string) bool {
	_, _, ok := w.scope.lookup(c)
	return ok
}

// identifier converts a C name that stands at at.
func (w *inlineWriter) identifier(c string, marked bool) {
	rest := w.in[w.at+len(c):]
	called := strings.HasPrefix(rest, "()")
	if called {
		rest = rest[2:]
	}
	n := len(w.in) - w.at - len(rest)
	if c == "NULL" && terminator.MatchString(rest) {
		w.out.WriteString("null") // a character
	} else if fileEnd.MatchString(rest) || strings.ContainsRune(`.\`, w.prev) && !called {
		w.out.WriteString(w.in[w.at : w.at+n]) // a part of the name of a file
	} else {
		w.name(c, marked, called, rest)
	}
	w.skip(n)
	if m := member.FindString(w.in[w.at:]); m != "" && w.bound(c) { // Go has a dot for both
		w.out.WriteString(".")
		w.at += len(m)
		w.prev = '.'
	}
}

// name writes a C name in Go, as a link where Go sees one.
func (w *inlineWriter) name(c string, marked, called bool, rest string) {
	if marked && !called && w.scope.isWordOfEnglish(c) && behindArticle.MatchString(w.out.String()) {
		w.out.WriteString(c) // "the @p type of" is prose all the same
		return
	}
	g, link := w.scope.word(c, marked, called)
	for m := tagRun.FindString(rest); m != ""; m = tagRun.FindString(rest) {
		rest = rest[len(m):]
	}
	before, _ := utf8.DecodeLastRuneInString(w.out.String())
	after, _ := utf8.DecodeRuneInString(rest)
	if link && before != '[' && aside(before, w.out.Len()) && aside(after, len(rest)) {
		g = "[" + g + "]"
	}
	w.out.WriteString(g)
}

var behindArticle = regexp.MustCompile(`(?i)\b(?:a|an|another|any|each|every|its|same|the|this|that|their|whose) $`)

// aside tells whether a link may stand beside a rune.
func aside(r rune, n int) bool {
	return n == 0 || unicode.IsPunct(r) || unicode.IsSpace(r) || strings.ContainsRune(lineBreak, r)
}

// reference is #name or ::name.
func (w *inlineWriter) reference(rest string) bool {
	n := 1
	if strings.HasPrefix(rest, "::") {
		n = 2
	} else if rest[0] == ':' {
		return false
	}
	c := wordRun.FindString(rest[n:])
	lower := strings.ToLower(c)
	if c == "" || !w.bound(c) && w.scope.Params[c] == "" && !strings.HasPrefix(lower, "doca_") && !strings.HasPrefix(rest[n+len(c):], "()") {
		return false
	}
	w.skip(n)
	w.prev = ' '
	w.identifier(c, true)
	return true
}

// code is what stands between backticks: a name, or an expression that stays in them.
func (w *inlineWriter) code(t string) {
	t = strings.TrimSpace(t)
	name, called := strings.CutSuffix(t, "()")
	if m := structRun.FindStringSubmatch(name); m != nil && m[0] == name && w.bound(m[1]) {
		name = m[1]
	}
	switch {
	case wordRun.FindString(name) == name:
		w.name(name, true, called, "")
	case strings.ContainsAny(t, " `") && !strings.Contains(t, "`"):
		w.out.WriteString("`" + t + "`")
	default:
		w.out.WriteString(t)
	}
}

// emphasized tells whether emphasis stands at at, and no pointer, product or name.
func (w *inlineWriter) emphasized(rest string) bool {
	m := emphasis.FindStringSubmatch(rest)
	if m == nil || isWord(w.prev) {
		return false
	}
	after, n := utf8.DecodeRuneInString(rest[len(m[0]):])
	return n == 0 || !isWord(after) && after != '('
}

// element is a tag of HTML: <br> is a new line, the others go.
func (w *inlineWriter) element(rest string) {
	if m := autoLink.FindStringSubmatch(rest); m != nil {
		w.out.WriteString(m[1])
		w.skip(len(m[0]))
		return
	}
	m := tagRun.FindString(rest)
	lower := strings.ToLower(m)
	switch {
	case strings.HasPrefix(lower, "<br"):
		w.out.WriteString(lineBreak)
	case strings.HasPrefix(lower, "<img"):
		if a := altOf.FindStringSubmatch(m); a != nil {
			w.out.WriteString(a[1])
		}
	case strings.HasPrefix(lower, "<a ") && hrefOf.MatchString(m):
		w.href = hrefOf.FindStringSubmatch(m)[1]
	case lower == "</a>" && w.href != "":
		if !strings.HasSuffix(w.out.String(), w.href) && strings.Contains(w.href, "://") {
			w.out.WriteString(" (" + w.href + ")")
		}
		w.href = ""
	case lower == "<sup>":
		w.out.WriteString("^")
	}
	w.skip(len(m))
	w.prev = ' '
}

// link is a link of Markdown.
func (w *inlineWriter) link(text, target string) {
	switch c := strings.TrimPrefix(target, "#"); {
	case w.bound(c):
		w.described(text, c)
	case strings.Contains(target, "://") && text != target:
		w.out.WriteString(w.scope.Text(text) + " (" + target + ")")
	default:
		w.out.WriteString(w.scope.Text(text))
	}
}

// described writes a bound name in the author's words, and the name behind them if they do
// not have it.
func (w *inlineWriter) described(text, c string) {
	if strings.TrimSuffix(strings.TrimSpace(text), "()") == c {
		w.name(c, true, false, w.in[w.at:])
		return
	}
	w.out.WriteString(w.scope.Text(text) + " (")
	w.name(c, true, false, ")")
	w.out.WriteString(")")
}

// command is an inline command, or an unknown one, of which the word stays.
func (w *inlineWriter) command(rest string) {
	if m := formula.FindStringSubmatch(rest); m != nil {
		w.out.WriteString(strings.TrimSpace(m[1] + m[2]))
		w.skip(len(m[0]))
		return
	}
	if m := command.FindStringSubmatch(rest); m != nil && !isWord(w.prev) && !strings.ContainsRune(`"'\/`, w.prev) && (rest[0] == '@' || w.prev != ':') {
		w.named(m[1], m[0], rest)
		return
	}
	if m := escaped.FindString(rest); m != "" && (!isWord(w.prev) || rest[0] == '\\') {
		switch c := m[1:]; {
		case (c == "{" || c == "}") && w.prev != '"': // a group
		default:
			w.out.WriteString(c)
		}
		w.skip(len(m))
		w.prev = 0
		return
	}
	w.out.WriteByte(rest[0])
	w.skip(1)
}

// named runs the inline command name, spelled head.
func (w *inlineWriter) named(name, head, rest string) {
	tail := rest[len(head):]
	switch name {
	case "n":
		w.out.WriteString(lineBreak)
	case "endlink", "noop", "protect":
	case "p", "c", "a", "b", "e", "em", "ref", "link", "cite", "subpage":
		if m := nextWord.FindStringSubmatchIndex(tail); m != nil && !strings.HasSuffix(head, "}") {
			word := trimWord(tail[m[2]:m[3]])
			w.skip(len(head) + m[2] + len(word))
			w.prev = ' '
			c, called := strings.CutSuffix(word, "()")
			w.argument(name, strings.TrimLeft(c, "#%:"), called)
			return
		}
	default:
		if _, known := commands[strings.ToLower(name)]; !known {
			w.skip(1)
			w.prev = ' '
			if strings.HasSuffix(w.out.String(), ". ") && !w.bound(name) {
				w.out.WriteString(UpperFirst(name))
				w.skip(len(name))
				return
			}
			w.identifier(wordRun.FindString(rest[1:]), false)
			return
		}
	}
	w.skip(len(head))
	w.prev = ' '
}

// trimWord takes the punctuation that follows a word off it.
func trimWord(word string) string {
	for {
		last := word[len(word)-1]
		switch {
		case len(word) == 1,
			last == ')' && strings.Contains(word, "("),
			last == ']' && strings.Contains(word, "["),
			!strings.ContainsRune(`.,;:!?"')]`, rune(last)):
			return word
		}
		word = word[:len(word)-1]
	}
}

// argument writes the word that a command marks, or the text that a reference has for it.
func (w *inlineWriter) argument(name, c string, called bool) {
	rest, text := w.in[w.at:], ""
	var m []string
	switch name {
	case "ref", "subpage":
		m = refText.FindStringSubmatch(rest)
	case "link":
		m = linkText.FindStringSubmatch(rest)
	}
	if m != nil {
		text = m[1]
		w.skip(len(m[0]))
		w.prev = ' '
	}
	switch {
	case text != "" && !w.bound(c):
		w.out.WriteString(w.scope.Text(text))
	case text != "":
		w.described(text, c)
	case c != "" && wordRun.FindString(c) == c:
		w.name(c, !slices.Contains([]string{"e", "em", "b"}, name), called, w.in[w.at:])
	default:
		w.out.WriteString(w.scope.Text(c))
	}
}
