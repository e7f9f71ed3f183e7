// Package doxygen turns the comments of C headers into Go doc comments.
//
// What comes in is a comment as Doxygen reads it (commands, Markdown, HTML, lists in several
// styles) and a [Scope]: what the C names in it are in Go where the comment will stand. What goes
// out is a [Comment]: prose that begins with the Go name, lists of parameters and errors, and links,
// in a form that gofmt leaves alone. It goes in three steps:
//
//   - parse takes a comment apart, line by line, into sections (the brief, @param, @return, ...) of
//     blocks (paragraphs, lists, tables, code). Their texts are still Doxygen's.
//   - A Scope's Text converts such a text: marks go, C names become Go's, names of the bindings
//     become links.
//   - A Comment writes the sections in the order that Go's readers expect, and wraps the lines.
//
// The package knows nothing of the model or of how Go is emitted; what it does not understand stays
// as text, for no word of an author may be lost.
package doxygen

import "slices"

// document is a comment taken apart. Its texts are still in Doxygen's inline form.
type document struct{ Sections []*section }

// section is what one command begins.
type section struct {
	Kind   sectionKind
	Name   string // of a parameter or a value; the label of a note
	Blocks []block
}

type sectionKind string

const (
	secText       sectionKind = "text"
	secBrief      sectionKind = "brief"
	secParam      sectionKind = "param"
	secReturn     sectionKind = "return"
	secValue      sectionKind = "value" // one value of the result
	secNote       sectionKind = "note"
	secSee        sectionKind = "see"
	secSince      sectionKind = "since"
	secDeprecated sectionKind = "deprecated"
)

// block is a paragraph or a heading (Text), a list or the rows of a table (Items), or code.
type block struct {
	Kind     blockKind
	Text     string
	Items    []string // what is below an item follows it, behind subItem
	Numbered bool     // a list
	Code     []string
	Indented bool // code that nothing but its indentation marks
}

type blockKind string

const (
	blockPara    blockKind = "para"
	blockHeading blockKind = "heading"
	blockList    blockKind = "list"
	blockTable   blockKind = "table"
	blockCode    blockKind = "code"
)

// subItem stands in front of an item of a list that is inside another item, lineBreak where
// an author wants a new line. Neither can be in a comment: control characters are removed.
const (
	subItem   = "\x01"
	lineBreak = "\x02"
)

// of are the sections of some kinds.
func (d *document) of(kinds ...sectionKind) []*section {
	var out []*section
	for _, s := range d.Sections {
		if slices.Contains(kinds, s.Kind) {
			out = append(out, s)
		}
	}
	return out
}

// takeBrief takes the first sentence or paragraph of a comment, what a summary is made of,
// out of it.
func (d *document) takeBrief() string {
	for _, kind := range []sectionKind{secBrief, secText} {
		for _, s := range d.of(kind) {
			if s.Blocks = withoutBullet(s.Blocks); len(s.Blocks) > 0 && s.Blocks[0].Kind == blockPara {
				text := s.Blocks[0].Text
				s.Blocks = s.Blocks[1:]
				return text
			}
		}
	}
	return ""
}

// drop removes sections that are empty and say nothing by themselves.
func (d *document) drop() {
	var kept []*section
	for _, s := range d.Sections {
		if len(s.Blocks) > 0 || s.Kind == secParam || s.Kind == secValue || s.Kind == secDeprecated {
			kept = append(kept, s)
		}
	}
	d.Sections = kept
}

// withoutBullet makes a paragraph of a list of one item that nothing stands in front of: it is a dash in front of a text.
func withoutBullet(blocks []block) []block {
	if len(blocks) == 0 || blocks[0].Kind != blockList || len(blocks[0].Items) != 1 || blocks[0].Numbered {
		return blocks
	}
	return append([]block{{Kind: blockPara, Text: flatItem(blocks[0].Items[0])}}, blocks[1:]...)
}
