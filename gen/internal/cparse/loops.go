package cparse

import (
	"path/filepath"
	"strings"
)

// findLoops finds headers that include themselves, directly or through others,
// with no include guard on the way: cc/v4 would read them for ever.
func (p *parser) findLoops(names []string, bad map[string]*ParseError) {
	done := map[string]bool{}
	for _, n := range names {
		if bad[n] == nil {
			p.walkIncludes(n, nil, done, bad)
		}
	}
}

// walkIncludes follows the includes of a header depth first; path are the
// unguarded headers that led to it.
func (p *parser) walkIncludes(name string, path []string, done map[string]bool, bad map[string]*ParseError) {
	src := p.files.loaded(filepath.Join(p.dir, name))
	if src == nil || done[name] || src.guard() != "" || src.once() {
		return
	}
	path = append(path, name)
	names, lines := src.includes()
	for i, n := range names {
		for j, seen := range path {
			if n != seen || bad[path[0]] != nil {
				continue
			}
			bad[path[0]] = &ParseError{
				Pos:  Pos{File: name, Line: lines[i]},
				Text: "include loop: " + strings.Join(append(path[j:len(path):len(path)], n), " -> "),
				Line: src.sourceLine(lines[i]),
			}
		}
		if bad[path[0]] == nil {
			if _, err := p.files.load(filepath.Join(p.dir, n)); err == nil {
				p.walkIncludes(n, path, done, bad)
			}
		}
	}
	done[name] = true
}

// once reports whether the file says #pragma once.
func (s *source) once() bool {
	for _, d := range s.directives {
		if d.name == "pragma" && strings.HasPrefix(d.rest, "once") {
			return true
		}
	}
	return false
}
