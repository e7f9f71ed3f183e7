package doxygen

import (
	"regexp"
	"strings"
)

// Param is what a C comment says of a parameter.
type Param struct {
	Name  string // as the comment spells it; "..." of the arguments of a variadic function
	scope *Scope
	raw   string
}

// Form says how Go has what a C parameter is.
type Form struct {
	NeverNil bool // a result or a string: what the text says of NULL is left out
	Result   bool // C has a pointer to it
	String   bool // Go's strings have no terminator of their own
	Flag     bool // a bool: 1 and 0 are true and false
}

var (
	mayBeNull  = regexp.MustCompile(`(?i)(?:[;,.]\s*|\s+and\s+|^)(?:it\s+|the pointer\s+)?(?:must not|may|can|cannot|can not|may not|should not|shall not) be NULL(?: itself)?\s*([.;,]|$)`)
	terminated = regexp.MustCompile(`(?i)(?:[,;] |\b)(?:NUL|null|zero)[- ]terminated\b( ?)`)
	toPointer  = regexp.MustCompile(`(?i)^(?:a |the )?(?:double pointer|pointer(?: to)?(?: a| the)? pointer)(?: to be set to point| to be set| that (?:is|will be) set| to point)? to (?:an? )?`)
	// toVariable is the room for a result that C wants, toWhat what goes there.
	toVariable = regexp.MustCompile(`(?i)^(?:a |the )?(?:pointer to |address of )(?:an?|the)? ?(?:\w+ ){1,3}?(?:(?:that|which) will (?:hold|contain|receive|be set to|be filled with)|to (?:hold|contain|store|receive|fill with|be filled with|be set to)) `)
	setTo      = regexp.MustCompile(`(?i)^(?:(?:will be |is )?set to|(?:it )?will be) (true|false)\b`)
	trueValue  = regexp.MustCompile(`(?i)\bnot 0\b|\bnon-?zero\b|\b1\b`)
	falseZero  = regexp.MustCompile(`(?i)\b(?:0|zero)\b`)
)

// Text is what the comment says, in Go's terms. It continues a sentence. A nil Param says nothing.
func (p *Param) Text(f Form) string {
	if p == nil {
		return ""
	}
	raw := p.raw
	if rest, ok := strings.CutPrefix(raw, p.Name); ok && strings.HasPrefix(strings.TrimLeft(rest, " "), ":") {
		raw = strings.TrimLeft(rest, " :")
	} else if rest, ok := strings.CutPrefix(raw, UpperFirst(p.Name)+":"); ok {
		raw = strings.TrimLeft(rest, " ")
	}
	if f.NeverNil {
		raw = mayBeNull.ReplaceAllString(raw, "$1")
	}
	if f.String {
		raw = terminated.ReplaceAllString(raw, "")
	}
	if f.Result {
		if m := toPointer.FindString(raw); m != "" {
			if raw = raw[len(m):]; !article.MatchString(UpperFirst(raw)) {
				raw = "the " + raw
			}
		}
		raw = toVariable.ReplaceAllString(raw, "")
	}
	if f.Flag {
		raw = falseZero.ReplaceAllString(trueValue.ReplaceAllString(raw, "true"), "false")
	}
	if f.Flag && f.Result {
		raw = setTo.ReplaceAllString(raw, "$1")
	}
	text := LowerFirst(p.scope.Text(strings.Trim(raw, " ;,")))
	if strings.TrimSuffix(text, ".") == strings.ReplaceAll(p.Name, "_", " ") {
		return "" // the name once more
	}
	return text
}

// Params are what the comment says of the parameters with these names, however it spells them; rest is what
// belongs to none.
func (c *Comment) Params(names []string) (byName map[string]*Param, rest []*Param) {
	byName = map[string]*Param{}
	taken := func(want string, same func(a, b string) bool) (string, bool) {
		for _, p := range names {
			if byName[p] == nil && p != "" && same(p, want) {
				return p, true
			}
		}
		return "", false
	}
	exact := func(a, b string) bool { return a == b }
	plain := func(a, b string) bool { return flatName(a) == flatName(b) }
	near := func(a, b string) bool { return distance(flatName(a), flatName(b)) <= 1+len(a)/6 }
	for _, s := range c.doc.params() {
		rest = append(rest, &Param{s.Name, c.scope, flatText(s.Blocks)})
	}
	for _, same := range []func(a, b string) bool{exact, plain, near} {
		var still []*Param
		for _, s := range rest {
			if p, ok := taken(s.Name, same); ok {
				byName[p] = s
			} else {
				still = append(still, s)
			}
		}
		rest = still
	}
	// What has another name altogether stands where its parameter stands.
	var free []string
	for _, p := range names {
		if byName[p] == nil {
			free = append(free, p)
		}
	}
	if len(free) != len(rest) {
		return byName, rest
	}
	for i, s := range rest {
		byName[free[i]] = s
	}
	return byName, nil
}

// params are the sections of @param, one for each name.
func (d *document) params() []*section {
	var out []*section
	seen := map[string]*section{}
	for _, s := range d.of(secParam) {
		for _, n := range strings.Split(strings.TrimLeft(s.Name, "*&"), ",") {
			if old := seen[n]; old != nil {
				old.Blocks = append(old.Blocks, s.Blocks...)
				continue
			}
			seen[n] = &section{Kind: secParam, Name: n, Blocks: s.Blocks}
			out = append(out, seen[n])
		}
	}
	return out
}

// flatName is a name without what writers get wrong: capitals and underscores.
func flatName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// distance counts the letters by which two names differ.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
