package doxygen

import (
	"regexp"
	"strings"
	"unicode"
)

// What authors leave out, and readers of the header see by the lines all the same: bullets, full stops, the word param.

var (
	// definition is a line such as "0 - wait" or "mode = what it does". Several in a row are a list.
	definition = regexp.MustCompile(`^(\s*(?:[@\\](?:returns?|result)\s+)?)(?:(-?\d+|0[xX][0-9a-fA-F]+)\s*[-=:]|([A-Za-z]\w*)\s+[-=])\s+(\S.*)$`)
	// tightItem is an item of a list of codes that has no blank behind its bullet.
	tightItem = regexp.MustCompile(`^\s*[-*](?:[#@]|::)?DOCA_\w`)
	// directed is a parameter whose name stands where @param should, with its direction; kernelDoc one in the style of Linux.
	directed  = regexp.MustCompile(`^\s*[@\\](\w+)\s*\[(?:in|out|in\s*,\s*out|inout)\]\s*[:-]?\s*(.*)$`)
	kernelDoc = regexp.MustCompile(`^\s*@(\w+):(?:\s+(.*))?$`)
	ownLine   = regexp.MustCompile(`^\s*[@\\]([a-z][a-z_]+[a-z])\s+([A-Z].*)$`)
	// starter begins a sentence when its first letter is a capital; connector cannot end one.
	starter   = regexp.MustCompile(`^(?:A|After|All|Also|An|Any|Before|Call|Can|Cannot|Default|Each|For|If|In|It|Its|May|Must|NOTE|Note|Once|Only|Otherwise|Returns|See|Should|The|There|These|They|This|Until|Use|Valid|When)\s`)
	connector = regexp.MustCompile(`(?i)\b(?:a|an|and|as|at|be|by|for|from|if|in|into|is|of|on|or|than|that|the|to|when|which|with)$`)
	errorLine = regexp.MustCompile(`(?i)^(?:doca[_ ]|any |an |the |typical |possible )?error\b`)
)

// definesAmong tells whether line i is one of several definitions in a row.
func definesAmong(lines []string, i int) bool {
	defines := func(i int) bool {
		if i < 0 || i >= len(lines) {
			return false
		}
		m := definition.FindStringSubmatch(lines[i])
		return m != nil && !strings.HasPrefix(m[3], "DOCA_")
	}
	return defines(i) && (defines(i-1) || defines(i+1))
}

// asItem makes an item of a list of a definition.
func asItem(line string) string { return definition.ReplaceAllString(line, "$1- $2$3: $4") }

// misnamedParam is a parameter that is documented without @param.
func misnamedParam(line string) (name, text string, ok bool) {
	if m := directed.FindStringSubmatch(line); m != nil && m[1] != "param" && m[1] != "tparam" {
		return m[1], m[2], true
	}
	if m := kernelDoc.FindStringSubmatch(line); m != nil {
		_, known := commands[strings.ToLower(m[1])]
		return m[1], m[2], !known
	}
	return "", "", false
}

// ownCommand is a command that a project has made for itself, such as @thread_safety: the label of a note. The first line of a
// comment is its brief.
func (p *parser) ownCommand(line string) (label, text string, ok bool) {
	m := ownLine.FindStringSubmatch(line)
	if m == nil || len(p.doc.Sections) == 1 && len(p.cur.Blocks) == 0 || strings.HasPrefix(m[1], "doca_") || inlineCommands[m[1]] {
		return "", "", false
	}
	if _, known := commands[m[1]]; known {
		return "", "", false
	}
	label = strings.ReplaceAll(m[1], "_", " ")
	return strings.ToUpper(label[:1]) + label[1:], m[2], true
}

// inlineCommands may begin a line of prose.
var inlineCommands = map[string]bool{"ref": true, "link": true, "em": true, "cite": true, "subpage": true, "copyright": true, "endlink": true}

// announcesErrors tells whether a line says no more than that errors, or a list of them, follow.
func announcesErrors(text string) bool {
	return errorLine.MatchString(text) && empty(text) || isStock(text)
}

// endSentence ends what was said so far with a full stop if the next line begins another sentence.
func endSentence(text, next string) string {
	last := rune(text[len(text)-1])
	if starter.MatchString(next) && (unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')') && !connector.MatchString(text) {
		return text + "."
	}
	return text
}
