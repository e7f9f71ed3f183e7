package doxygen

import "regexp"

// A blockCommand begins a section, a block or nothing. args takes its arguments off the text
// behind it; begin is given the first of them, and tells whether the rest of the line is
// nothing.
type blockCommand struct {
	args  *regexp.Regexp
	begin func(p *parser, arg string, indent int) (done bool)
}

const separator = `\s*(?:[:=]|-{1,2}(?:\s|$)|[–—])?\s*`

var (
	argParam  = regexp.MustCompile(`^\s*(?:\[[\w ,]*\])?\s*:?\s*([*&]*\w+(?:,\w+)*|\.\.\.)(?:\s*\[(?:in|out|in\s*,\s*out|inout)\])?` + separator)
	argValue  = regexp.MustCompile(`^\s*[#:%]*([-+]?\w+)` + separator)
	argReturn = regexp.MustCompile(`^\s*[:]?\s*`)
	argLine   = regexp.MustCompile(`^\s*(.*)$`)
	argTitle  = regexp.MustCompile(`^\s*[\w-]+\s*(.*)$`) // behind an identifier
	argWord   = regexp.MustCompile(`^\s*(\S*)`)
	argCode   = regexp.MustCompile(`^\s*\{[^{}]*\}`)
	argMath   = regexp.MustCompile(`^\w+\*?\}\{?`)
	argImage  = regexp.MustCompile(`^(?:\{[^{}]*\})?\s*\w+\s+(?:(\S+\s*$)|\S+\s*)`)
	argLabel  = regexp.MustCompile(`^\s*:?\s*`)
)

var commands = map[string]blockCommand{}

func init() {
	each := func(c blockCommand, names ...string) {
		for _, n := range names {
			commands[n] = c
		}
	}
	section := func(k sectionKind, args *regexp.Regexp) blockCommand {
		return blockCommand{args, func(p *parser, arg string, _ int) bool {
			p.section(k, arg)
			return false
		}}
	}
	note := func(label string) blockCommand {
		return blockCommand{argLabel, func(p *parser, _ string, _ int) bool {
			p.section(secNote, label)
			return false
		}}
	}
	verbatim := func(args *regexp.Regexp, end string) blockCommand {
		return blockCommand{args, func(p *parser, _ string, _ int) bool {
			p.startCode(end, p.addCode)
			return false
		}}
	}
	each(section(secBrief, argLabel), "brief", "short")
	each(section(secText, nil), "details", "parblock", "endparblock")
	each(section(secParam, argParam), "param", "tparam")
	each(section(secReturn, argReturn), "return", "returns", "result")
	each(section(secValue, argValue), "retval", "throw", "throws", "exception")
	each(section(secSee, argLabel), "see", "sa", "copydoc", "copybrief", "copydetails")
	each(section(secSince, argLabel), "since")
	each(section(secDeprecated, argLabel), "deprecated")
	for label, names := range map[string][]string{
		"Note": {"note"}, "Warning": {"warning"}, "Attention": {"attention", "important"}, "Remark": {"remark", "remarks"},
		"Precondition": {"pre"}, "Postcondition": {"post"}, "Invariant": {"invariant"}, "Known bug": {"bug"}, "To do": {"todo"},
		"Test": {"test"}, "Author": {"author", "authors"}, "Date": {"date"}, "Version": {"version"}, "Copyright": {"copyright"},
	} {
		each(note(label), names...)
	}
	each(blockCommand{argLine, func(p *parser, title string, _ int) bool {
		p.section(secNote, title)
		return true
	}}, "par")
	each(blockCommand{nil, func(p *parser, _ string, indent int) bool {
		p.item(indent, false, "")
		return false
	}}, "li", "arg")
	each(blockCommand{argTitle, func(p *parser, title string, _ int) bool {
		p.heading(title)
		p.open = false
		return true
	}}, "section", "subsection", "subsubsection", "paragraph")
	each(blockCommand{argTitle, func(p *parser, title string, _ int) bool {
		p.line("")
		if title != "" {
			p.line(title)
			p.line("")
		}
		return true
	}}, "page", "subpage", "defgroup")
	each(blockCommand{argLine, func(p *parser, title string, _ int) bool {
		p.line("")
		if title != "" {
			p.line(title)
			p.line("")
		}
		return true
	}}, "mainpage")

	// Of what only Doxygen needs, the rest of the line is its arguments; some have one, or none.
	each(blockCommand{argLine, func(*parser, string, int) bool { return true }},
		"file", "addtogroup", "weakgroup", "ingroup", "name", "struct", "enum", "union", "typedef", "fn", "def", "var",
		"class", "interface", "namespace", "property", "overload", "memberof", "relates", "related", "relatesalso",
		"relatedalso", "extends", "implements", "headerfile", "dir", "example", "tableofcontents", "addindex", "xrefitem")
	one := blockCommand{argWord, func(*parser, string, int) bool { return false }}
	each(one, "if", "ifnot", "elseif", "cond", "anchor")
	each(blockCommand{nil, one.begin}, "else", "endif", "endcond", "internal", "endinternal", "callgraph",
		"hidecallgraph", "callergraph", "hidecallergraph", "showinitializer", "hideinitializer", "nosubgrouping",
		"public", "private", "protected", "static", "pure", "endcode", "endverbatim", "endhtmlonly", "endlatexonly")
	each(blockCommand{argImage, func(p *parser, file string, _ int) bool {
		if file != "" {
			p.line(file)
		}
		return false
	}}, "image")
	for begin, end := range map[string]string{
		"code": "endcode", "verbatim": "endverbatim", "dot": "enddot", "msc": "endmsc", "startuml": "enduml",
		"latexonly": "endlatexonly", "manonly": "endmanonly", "rtfonly": "endrtfonly", "xmlonly": "endxmlonly",
		"docbookonly": "enddocbookonly", "iliteral": "endiliteral", "f[": `f\]`,
	} {
		each(verbatim(argCode, `[@\\]`+end), begin)
	}
	each(verbatim(argMath, `[@\\]f\}`), "f{")
	each(blockCommand{nil, func(p *parser, _ string, _ int) bool { return false }}, "htmlonly")
}
