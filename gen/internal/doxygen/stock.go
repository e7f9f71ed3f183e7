package doxygen

import (
	"regexp"
	"strings"
)

// Phrases that headers repeat, and that say nothing to a reader of Go: that a function returns nothing, that a list of errors
// follows, that an error is returned on failure.
var (
	returnsNothing = regexp.MustCompile(`(?i)^(?:(?:this |the )?(?:function|call|it|method)?\s*(?:does not|doesn't|do not) return (?:any|a|an)?\s*(?:value|values|thing|anything|error|result)|(?:this |the )?(?:function |call |it |method )?returns? (?:nothing|no value|void|none)|void|none|nothing|n/a|no(?: return)? value)$`)
	listFollows    = regexp.MustCompile(`(?i)^(?:the )?(?:typical|possible|common|usual|expected|relevant|following)\s+(?:error|return|status|failure|error code)s?(?: codes?| values?)?(?: of| for)?(?: this| the)?(?: function| call)?(?: may| can)?(?: are| is| be| include| includes| follow| follows)?(?: as follows| the following)?$`)
	alwaysSuccess  = regexp.MustCompile(`(?i)^(?:this function )?(?:always(?: returns?)?|returns? always)\s+(?:[@\\](?:ref|c|p)\s+|[#` + "`" + `])?DOCA_SUCCESS` + "`" + `?$`)
	sentenceEnd    = regexp.MustCompile(`\.\s+|[.:]$|:?\n`)
)

// withoutStockText leaves out the sentences that say nothing.
func withoutStockText(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		end := len(text)
		if m := sentenceEnd.FindStringIndex(text); m != nil {
			end = m[1]
		}
		if !isStock(text[:end]) {
			out.WriteString(text[:end])
		}
		text = text[end:]
	}
	return strings.TrimSpace(out.String())
}

func isStock(sentence string) bool {
	s := strings.Join(strings.Fields(strings.Trim(sentence, " \t\n.:;,-")), " ")
	return s != "" && (returnsNothing.MatchString(s) || listFollows.MatchString(s))
}

// withoutStock leaves out the paragraphs that say nothing.
func withoutStock(blocks []block) []block {
	var out []block
	for _, b := range blocks {
		if b.Kind == blockPara {
			if b.Text = keepBreaks(b.Text); b.Text == "" {
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// keepBreaks is withoutStockText for a paragraph that has nothing else; any other stays as it is.
func keepBreaks(text string) string {
	if isStock(text) {
		return ""
	}
	return text
}
