package doxygen

import (
	"regexp"
	"slices"
	"strings"
)

// returned is what Status collects.
type returned struct {
	Errors []string
	Text   []string
}

var (
	// codes matches the error codes that an item begins with, and what stands around them.
	codes     = regexp.MustCompile(`^(?:[@\\](?:ref|c|p|b|a|e|em)\s+|[#%*` + "`" + `]|::|<\w+>)*(DOCA_ERROR_\w+)(?:[*` + "`" + `]|</\w+>|\(\))*`)
	nextCode  = regexp.MustCompile(`^(?:\s*[,/]\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+)`)
	success   = regexp.MustCompile(`^(?:[@\\](?:ref|c|p|b|a|e|em)\s+|[#%*` + "`" + `]|::|<\w+>)*DOCA_SUCCESS(?:[*` + "`" + `]|</\w+>)*`)
	divider   = regexp.MustCompile(`^\s*(?:[-:=,;.–—]+(?:\s|$)|-+\b)?\s*`)
	codeInRun = regexp.MustCompile(`[,;.]\s+(?:or\s+|and\s+|else\s+|otherwise\s+)?(?:[#` + "`" + `]|[@\\](?:ref|c|p)\s+)?DOCA_ERROR_\w`)
	// codeJoined is a code behind a conjunction alone, with its reason.
	codeJoined = regexp.MustCompile(`\s(?:and|or|else|otherwise)\s+(?:#|[@\\](?:ref|c|p)\s+)?DOCA_ERROR_\w+\s+(?:-\s|(?:if|when|in case|on|upon|otherwise|for|as)\b)`)
	joining    = regexp.MustCompile(`^(?:or|and|else|otherwise)\s+`)
	elseTail   = regexp.MustCompile(`(?i)[,;.]?\s*\b(?:or else|else|otherwise|or|and)\b[\s,:]*([^.]*)[.:]?\s*$`)
	condition  = regexp.MustCompile(`^(?i:when|if|in|on|upon|after|always|unless|once|also|even|for|whenever|as|while|regardless|whether|also)\b`)
	wordsOnly  = regexp.MustCompile(`[A-Za-z_]+`)
)

// fillers are the words of which a phrase consists that says no more than "or an error".
var fillers = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an and another any appropriate as be different everything fine good none ok okay some well went
		positive sucess succes sucessful succesful successfull faliure failiure case code codes corresponding doca_error doca_error_t doca error
		errors failed fails fail failure failing following follows for function call has if in is method occurred of on one operation or other otherwise else
		relevant respective result return returned returns specific status success successful successfully succeeded succeeds
		that the this to upon value values was which will with xxx descriptive it its suitable negative`) {
		m[w] = true
	}
	return m
}()

// empty tells whether a phrase has nothing but fillers.
func empty(s string) bool {
	for _, w := range wordsOnly.FindAllString(s, -1) {
		if w = strings.ToLower(w); !fillers[w] && !strings.HasPrefix(w, "doca_error_x") {
			return false
		}
	}
	return true
}

// Status is what a function that returns a doca_error_t says of it: the errors, one item each, and
// what else there is to know.
func (c *Comment) Status() (errors, text []string) {
	s := c.scope
	var r returned
	for _, sec := range c.doc.Sections {
		switch sec.Kind {
		case secValue:
			s.statusItem(&r, sec.Name+": "+flatText(sec.Blocks))
		case secReturn:
			for _, b := range sec.Blocks {
				switch b.Kind {
				case blockList:
					for _, it := range b.Items {
						s.statusText(&r, flatItem(it))
					}
				case blockPara:
					s.statusText(&r, b.Text)
				case blockTable:
					s.statusTable(&r, b.Items)
				default:
					r.Text = append(r.Text, s.Text(flatText([]block{b})))
				}
			}
		}
	}
	if len(r.Errors) == 1 && len(r.Text) == 0 {
		r.Errors[0] = strings.TrimSuffix(strings.TrimSuffix(r.Errors[0], "."), ": otherwise") // there is nothing else
	}
	return r.Errors, r.Text
}

// statusText reads running text.
func (s *Scope) statusText(r *returned, text string) {
	for _, text := range onFailure.Split(text, -1) {
		for _, part := range cutCodes(text) {
			s.statusItem(r, part)
		}
	}
}

// statusTable reads a table of codes. Rows that begin with none, such as the first, are headings.
func (s *Scope) statusTable(r *returned, rows []string) {
	for _, row := range rows {
		if cells := rowCells(row); codes.MatchString(cells[0]) || success.MatchString(cells[0]) {
			s.statusItem(r, cells[0]+": "+strings.Join(cells[1:], ", "))
		}
	}
}

var (
	// returnsCode is what goes without saying in front of a code; typed is the type of the result.
	returnsCode = regexp.MustCompile(`^(?i:(?:(?:this|the) (?:function|method|call|routine|macro|api)|it) )?(?i:(?:will )?returns?|can return|may return) (DOCA_)`)
	typed       = regexp.MustCompile(`^doca_error(?:_t)?\s*\((.*)\)[. ]*$`)
	// onFailure stands in front of what an author says of errors in general.
	onFailure = regexp.MustCompile(`(?i)(?:an |the )?(?:doca[_ ])?error(?:_t)?\s+codes?\s+(?:- )?(?:in case of|on|upon) (?:failure|error)[,;]\s+`)
	// otherCodes ends the reason of one code with the mention of others.
	otherCodes = regexp.MustCompile(`(?i)[,;]?\s*\b(?:or|and|otherwise|else)[,:]?\s+(?:an?other|an?|any other|other|some other|the relevant|an appropriate)\s+(?:doca[_ ])?error(?:_t)?\s+codes?(?: otherwise| on failure| in case of failure)?[.:]?\s*$`)
	// those are the errors of another function.
	those = regexp.MustCompile(`^(?i:(?:any|all|the|other|and|or) )*(?i:doca_error|doca error|error)(?i:s|(?:[_ ](?:codes?|values?)))*\s+(?:returned )?((?:of|from|by|that)\s.*)$`)
)

// cutCodes cuts running text in front of each error code that says when it is returned.
func cutCodes(text string) []string {
	var out []string
	at := 0
	cuts := append(codeInRun.FindAllStringIndex(text, -1), codeJoined.FindAllStringIndex(text, -1)...)
	slices.SortFunc(cuts, func(a, b []int) int { return a[0] - b[0] })
	for _, m := range cuts {
		if m[0] < at {
			continue
		}
		out = append(out, text[at:m[0]])
		at = m[0] + 1
	}
	out = append(out, text[at:])
	for i := range out {
		out[i] = joining.ReplaceAllString(strings.TrimSpace(out[i]), "")
		if m := codes.FindString(out[i]); m != "" && strings.TrimSpace(divider.ReplaceAllString(out[i][len(m):], "")) == "" && len(out) > 1 {
			return []string{text} // a code that shares the reason with the next one
		}
	}
	return out
}

// statusItem reads one item: an error code and when it is returned, or success and what it
// means; what says only that there are errors goes.
func (s *Scope) statusItem(r *returned, item string) {
	item = strings.TrimSpace(item)
	if m := typed.FindStringSubmatch(item); m != nil {
		item = m[1]
	}
	if item = returnsCode.ReplaceAllString(item, "$1"); !codes.MatchString(item) {
		item = withoutStockText(item)
	}
	if alwaysSuccess.MatchString(strings.TrimRight(item, ". ")) {
		item = "DOCA_SUCCESS always"
	}
	if m := success.FindString(item); m != "" {
		s.successText(r, item[len(m):])
		return
	}
	var names []string
	rest := item
	for {
		m := codes.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		names = append(names, s.Link(m[1]))
		rest = rest[len(m[0]):]
		sep := nextCode.FindString(rest)
		if sep == "" || !codes.MatchString(rest[len(sep):]) {
			break
		}
		rest = rest[len(sep):]
	}
	switch {
	case len(names) > 0:
		it := strings.Join(names, ", ")
		rest = otherCodes.ReplaceAllString(rest, "")
		why := divider.ReplaceAllString(rest, "")
		cut := s.possible(why)
		if cut == "" && why != "" {
			return // it cannot happen in Go
		}
		if strings.HasPrefix(cut, "(") && strings.IndexByte(cut, ')') == len(strings.TrimRight(cut, ".;, "))-1 {
			cut = strings.Trim(cut, "(),. ;")
		}
		if t := s.Text(cut); t != "" {
			it += ": " + LowerFirst(t)
		}
		r.Errors = append(r.Errors, it)
	default:
		item = withoutFillers(item)
		if m := those.FindStringSubmatch(item); m != nil && !empty(item) {
			r.Errors = append(r.Errors, "those "+s.Text(m[1]))
		} else if item = strings.TrimPrefix(item, "doca_error_t "); item != "" {
			r.Text = append(r.Text, s.capital(s.Text(item)))
		}
	}
}

// withoutFillers leaves out the sentences that say no more than "or an error".
func withoutFillers(text string) string {
	var out []string
	for _, part := range strings.SplitAfter(text, ". ") {
		if !empty(part) {
			out = append(out, part)
		}
	}
	return strings.TrimSpace(strings.Join(out, ""))
}

var (
	isNull    = regexp.MustCompile(`^((?:if|when)\s+)?((?:[@\\](?:p|c|a)\s+)?\w+(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s*/\s*|\s+(?:or|and)\s+)(?:[@\\](?:p|c|a)\s+)?\w+)*)(\s+(?:is|are|was|were)\s+(?:NULL|null|nullptr)\b)(?:\s*,?\s*\bor\s+)?`)
	nullNames = regexp.MustCompile(`\b\w+\b`)
)

// possible leaves those arguments out of "a or b is NULL, or ..." that Go has as results or strings.
func (s *Scope) possible(why string) string {
	m := isNull.FindStringSubmatch(why)
	if m == nil {
		return why
	}
	var left []string
	gone := false
	for _, n := range nullNames.FindAllString(markup.ReplaceAllString(m[2], ""), -1) {
		switch {
		case n == "or" || n == "and":
		case s.NeverNil[n]:
			gone = true
		default:
			left = append(left, n)
		}
	}
	switch rest := why[len(m[0]):]; {
	case !gone:
		return why
	case left == nil && strings.Trim(rest, " .;,") == "":
		return ""
	case left == nil:
		return m[1] + strings.TrimLeft(rest, " ,;.")
	default:
		return m[1] + strings.Join(left, " or ") + why[len(m[1])+len(m[2]):]
	}
}

var markup = regexp.MustCompile(`[@\\](?:p|c|a)\s+`)

// obvious begins what is said of success; what follows it, in parentheses or behind a comma, is worth saying.
var obvious = regexp.MustCompile(`^(?i:(?:in case of|on|upon) success(?:ful(?:ly)?)?(?: completion)?)[\s,;:-]*`)

// successText says what success means, unless that goes without saying.
func (s *Scope) successText(r *returned, rest string) {
	rest = strings.TrimPrefix(strings.TrimSpace(rest), "(0)")
	rest = withoutFillers(withoutStockText(strings.TrimSpace(divider.ReplaceAllString(rest, ""))))
	if m := elseTail.FindStringSubmatchIndex(rest); m != nil && empty(rest[m[2]:m[3]]) {
		rest = rest[:m[0]]
	}
	rest = obvious.ReplaceAllString(strings.TrimRight(rest, " ,;:."), "")
	if strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") {
		rest = rest[1 : len(rest)-1]
	}
	t := s.Text(rest)
	switch {
	case empty(rest) || t == "":
	case t == "always":
		r.Text = append(r.Text, "The error is always nil")
	case condition.MatchString(t):
		r.Text = append(r.Text, "The error is nil "+LowerFirst(t))
	default:
		r.Text = append(r.Text, "On success: "+LowerFirst(t))
	}
}
