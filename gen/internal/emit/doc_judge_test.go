package emit

import (
	"fmt"
	godoc "go/doc/comment"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The flaws that the comments of real headers lead to. They are looked for in every comment that the tests generate, and in the
// committed packages.
var docFlaws = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"a phrase of C that says nothing", regexp.MustCompile(`(?i)(?:^|[.:;] )(?:an? |the )?(?:doca_)?error codes?\b|typical error|in case of (?:success|failure)\b|\bDOCA_SUCCESS\b`)},
	{"an error that is always nil", regexp.MustCompile(`(?i)nil always\b`)},
	{"a result that is a sentence", regexp.MustCompile(`\bIt returns (?:This|The function|It|[Rr]eturns?|[Nn]one|void|nothing)\b|[Ff]unction does not return|^[a-z]\w*: (?:this|the) function |^(?:result|text): (?:it )?returns? `)},
	{"a sentence that is not finished", regexp.MustCompile(`(?i)\b(?:includes?|following|follows|such as|one of|either|the|an|and|or|if)\.(?:$| [A-Z])`)},
	{"two marks of punctuation", regexp.MustCompile(`[,;:]\.(?:$| )|[^.\d]\.\.(?:$|[^.\d])|[,;.] ?[,;]|(?:^|[^.])[.,;]:(?:$| )|::? :|! ?\.`)},
	{"nothing behind a name", regexp.MustCompile(`^[\w()\[\].*]+:\.$|^\W*$`)},
	{"a command of Doxygen", regexp.MustCompile(`(?:^|[\s(])[@\\](?:[a-z]+\b|[{}])|\bNOTE\b`)},
	{"C's NULL", regexp.MustCompile(`\bNULL\b(?: |[.,;:)]|$)`)},
	{"a name, a verb and a verb", regexp.MustCompile(`^[A-Z]\w+ (?:is|calls|gets|sets) (?:the|a|an) \w+ (?:must|should|will|shall)\b`)},
	{"two sentences in one", regexp.MustCompile(`[a-z] (?:It|This|There|If|Otherwise|These) [a-z]`)},
}

// allowed are pieces of text that only look flawed: what the bindings themselves say about C.
var allowed = regexp.MustCompile(`A doca_error_t other than DOCA_SUCCESS|nil is NULL in C|is DOCA_SUCCESS\b`)

// flawsOf are the flaws of a paragraph or an item.
func flawsOf(text string) []string {
	var out []string
	text = allowed.ReplaceAllString(text, "")
	for _, f := range docFlaws {
		if m := f.pattern.FindString(text); m != "" {
			out = append(out, fmt.Sprintf("%s: %q", f.name, m))
		}
	}
	return out
}

var (
	complete   = regexp.MustCompile(`[.:!?][)"']?$`)
	smallStart = regexp.MustCompile(`^[a-z][a-z]*\b`)
)

// judge checks that a comment reads like one that was written for Go.
func (c *docChecker) judge(what string, d *godoc.Doc) {
	for i, b := range d.Content {
		switch b := b.(type) {
		case *godoc.Paragraph:
			text := plainText(b.Text)
			assert.Empty(c.t, flawsOf(text), "%s: %s", what, text)
			assert.Empty(c.t, namesLeft(text), "%s: a name of C: %s", what, text)
			assert.Regexp(c.t, complete, text, "%s: the paragraph does not end", what)
			code := false
			if i > 0 {
				_, code = d.Content[i-1].(*godoc.Code)
			}
			if strings.HasSuffix(text, ":") {
				assert.True(c.t, i+1 < len(d.Content) && announced(d.Content[i+1]), "%s: nothing follows: %s", what, text)
			}
			if first := smallStart.FindString(text); first != "" && !code && !c.own[first] && !strings.HasPrefix(text[len(first):], ".") {
				assert.Fail(c.t, "a paragraph begins with a small letter", "%s: %s", what, text)
			}
		case *godoc.List:
			for _, it := range b.Items {
				for _, x := range it.Content {
					text := plainText(x.(*godoc.Paragraph).Text)
					assert.Empty(c.t, flawsOf(text), "%s: %s", what, text)
					assert.Empty(c.t, namesLeft(text), "%s: a name of C: %s", what, text)
					assert.Regexp(c.t, complete, text, "%s: the item does not end", what)
					assert.NotRegexp(c.t, `:$`, text, "%s: nothing follows", what)
				}
			}
		}
	}
}

var (
	// definitional are where a name of C belongs.
	definitional = regexp.MustCompile(`^(?:It|\w+) (?:is|calls) (?:the \w+ )?(?:struct |enum |union )?(?:doca|DOCA)_\w+|^The values of (?:enum )?doca_\w+|a C function of type doca_\w+|It is (?:struct|enum|union) doca_\w+ in C|it calls doca_\w+|^Calls .*|A doca_error_t other than DOCA_SUCCESS`)
	docaName     = regexp.MustCompile(`\b(?:doca|DOCA)_\w+(?:\.h\b)?`)
)

// referenceNames are the C names that the bindings have, from the reference headers.
var referenceNames = sync.OnceValue(func() *docNames {
	t := &testing.T{}
	return newDocNames(modelOf(t, "../../../headers/3.0"), func(s string) string { return s })
})

// namesLeft are the C names in prose that have a Go name.
func namesLeft(text string) []string {
	var out []string
	for _, name := range docaName.FindAllString(definitional.ReplaceAllString(text, ""), -1) {
		if sym, bound := referenceNames().symbols[name]; bound && name != "DOCA_SUCCESS" {
			out = append(out, name+" is "+sym.name)
		}
	}
	return out
}

// announced tells whether a block may follow a colon.
func announced(b godoc.Block) bool {
	switch b.(type) {
	case *godoc.List, *godoc.Code:
		return true
	}
	return false
}

// plainText is text on one line, without links.
func plainText(text []godoc.Text) string {
	var b strings.Builder
	var add func([]godoc.Text)
	add = func(text []godoc.Text) {
		for _, x := range text {
			switch x := x.(type) {
			case godoc.Plain:
				b.WriteString(string(x))
			case godoc.Italic:
				b.WriteString(string(x))
			case *godoc.Link:
				add(x.Text)
			case *godoc.DocLink:
				add(x.Text)
			}
		}
	}
	add(text)
	return strings.Join(strings.Fields(b.String()), " ")
}

// The flaws are found where they are, and only there.
func TestFlaws(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Error code - in case of failure.", "Typical error codes for this function include.", "The error is nil always.",
		"It returns This function does not return any value.", "result: returns one.",
		"ErrorNoMemory: memory.. None.", "It waits,.", "It waits,, and ends.", "pipe:.", "pipe: see @ref it.", "NOTE: it waits.",
		"It must not be NULL.", "Step is the caller must wait.", "One of the following.", "Closes it It waits.", "One of these are:.",
		"It ends in case of success.",
	} {
		assert.NotEmpty(t, flawsOf(text), text)
	}
	for _, text := range []string{
		"ErrorNoMemory: there is none left.", "Wait for tasks, events, etc.", "Close it...", "A share [0..100], in percent.",
		"It must not be nil.", "The text is user@example.com.", "One of these: a; b.", "See Create.", "ErrorNoMemory.",
	} {
		assert.Empty(t, flawsOf(text), text)
	}
}
