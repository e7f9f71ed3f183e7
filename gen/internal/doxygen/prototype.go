package doxygen

import (
	"regexp"
	"strings"
)

// Prototype adds C declarations.
func (c *Comment) Prototype(protos ...string) {
	var lines []string
	for _, p := range protos {
		lines = append(lines, prototypeLines(p)...)
	}
	c.code("In C:", lines)
}

var spacedStar = regexp.MustCompile(`\* (\w)`)

func prototypeLines(p string) []string {
	p = spacedStar.ReplaceAllString(p, "*$1")
	open := strings.Index(p, "(")
	if open < 0 || len(p) <= LineWidth-8 {
		return []string{p}
	}
	parts := []string{p[:open+1]}
	for depth, start, i := 0, open+1, open; i < len(p); i++ {
		switch p[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 1 && p[i] == ',' || i == len(p)-1 {
			parts = append(parts, strings.TrimSpace(p[start:i+1]))
			start = i + 1
		}
	}
	lines := []string{parts[0]}
	for i, part := range parts[1:] {
		last := &lines[len(lines)-1]
		switch {
		case len(*last)+1+len(part) > LineWidth-8:
			lines = append(lines, strings.Repeat(" ", 8)+part)
		case i == 0:
			*last += part
		default:
			*last += " " + part
		}
	}
	return lines
}
