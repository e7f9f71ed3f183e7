package cparse

import (
	"path/filepath"
	"slices"
	"strings"
)

// findLoops finds headers that lead to an include loop in which no header has
// an include guard: cc/v4 would follow it for ever.
func (p *parser) findLoops(names []string, bad map[string]*ParseError) {
	w := &loopWalk{p: p, known: map[string]*ParseError{}}
	for _, n := range names {
		if bad[n] == nil {
			if e := w.walk(n, nil); e != nil {
				bad[n] = e
			}
		}
	}
}

// loopWalk follows includes depth first.
type loopWalk struct {
	p     *parser
	known map[string]*ParseError // headers done, and the loop each leads to or nil
}

// walk follows the includes of a header; open are the headers without a guard
// on the way to it, back to the last one with a guard.
func (w *loopWalk) walk(name string, open []string) *ParseError {
	if e, ok := w.known[name]; ok {
		return e
	}
	src, err := w.p.files.load(filepath.Join(w.p.dir, name))
	if err != nil {
		return nil // reported where it is included
	}
	if src.guard() != "" || src.once() {
		w.known[name] = nil // ends every loop through it
		open = nil
	} else {
		open = append(open[:len(open):len(open)], name)
	}
	var found *ParseError
	names, lines := src.includes()
	for i, n := range names {
		if j := slices.Index(open, n); j >= 0 {
			loop := strings.Join(append(open[j:len(open):len(open)], n), " -> ")
			found = &ParseError{Pos: Pos{File: name, Line: lines[i]}, Text: "include loop: " + loop, Line: src.sourceLine(lines[i])}
			break
		}
		if _, err := w.p.files.load(filepath.Join(w.p.dir, n)); err != nil {
			continue // a system header
		}
		if found = w.walk(n, open); found != nil {
			break
		}
	}
	w.known[name] = found
	return found
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
