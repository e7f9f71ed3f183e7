package cparse

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/cc/v4"
)

// limitation matches the messages with which cc/v4's type checker refuses C
// that is valid, as opposed to those that complain about the C.
var limitation = regexp.MustCompile(`\bTODO\b|internal error|(\S+) not supported on [a-z0-9]+/[a-z0-9]+`)

// translate parses and type checks a unit. Declarations of DOCA headers that
// cc/v4 does not understand, though they are valid, are taken out, each noted
// as a Problem, and the rest is tried again. So are those, in a unit that is to
// be rescued, for which an include is absent; types are made up where that is
// enough.
func (p *parser) translate(u unit, cfg cc.Config, sources []cc.Source, f *foreign, limit time.Duration) (*cc.AST, *ParseError) {
	const attempts = 200
	cfg.ExpansionLimit = 4 * expansionLimit // the dry run has shown that less will do
	var first *ParseError
	rescue := u.rescue && len(f.absent) > 0
	valid := sync.OnceValue(func() bool { return len(u.headers) == 1 && p.compilerAccepts(u, f.absent) })
	for i := 0; ; i++ {
		cfg.PragmaHandler = onceHandler()
		all := sources
		if f.types != nil || f.macros != nil {
			all = slices.Insert(slices.Clone(sources), len(sources)-1, cc.Source{Name: "<foreign>", Value: f.text()})
		}
		ast, err := translate(&cfg, all, limit)
		if err == nil {
			return ast, nil
		}
		if errors.Is(err, errTooLong) {
			return nil, &ParseError{Pos: Pos{File: u.name()}, Text: err.Error(), tooLong: true}
		}
		e, col := p.convert(u, err)
		if first == nil {
			first = e
			if rescue {
				for _, n := range p.unknownTypes(u, f.absent) {
					p.addForeign(u, f, n)
				}
			}
		}
		switch {
		case i == attempts:
			return nil, first
		case rescue && (i == 0 && (f.types != nil || f.macros != nil) || p.addForeign(u, f, e.unknown)):
		case p.takeOut(u, err):
		case (rescue || valid()) && p.takeOutAt(e, col, f):
		default:
			return nil, first
		}
	}
}

// takeOut takes out the declarations that the messages of cc/v4 complain of.
// It reports false, and changes nothing, where one of them is about the C itself.
func (p *parser) takeOut(u unit, err error) bool {
	type place struct {
		file      string
		line, col int
		text      string
	}
	var places []place
	for _, msg := range strings.Split(err.Error(), "\n") {
		msg = ccOrigin.ReplaceAllString(strings.TrimSpace(msg), "")
		m := limitation.FindStringSubmatch(msg)
		switch at := ccPos.FindStringSubmatch(msg); {
		case m == nil || ccTwoTypes.MatchString(msg):
			return false
		case at != nil:
			line, _ := strconv.Atoi(at[2])
			col, _ := strconv.Atoi(at[3])
			places = append(places, place{at[1], line, col, at[4]})
		case m[1] != "":
			file, line := p.findWord(u, m[1])
			places = append(places, place{file, line, 0, msg})
		}
	}
	done := false
	for _, x := range places {
		if filepath.Dir(x.file) != p.dir {
			return false
		}
		s := p.files.loaded(x.file)
		if s == nil {
			return false
		}
		if t := s.without(s.offset(x.line, x.col), Problem{Pos: Pos{File: filepath.Base(x.file), Line: x.line}, Text: "not understood: " + plainWords(x.text)}); t != nil {
			p.files.replace(x.file, t)
			done = true
		}
	}
	return done
}

// findWord is where a word first occurs in the headers of a unit or what they include.
func (p *parser) findWord(u unit, word string) (path string, line int) {
	if word == "" {
		return "", 0
	}
	for _, h := range u.headers {
		for _, name := range p.reach(h) {
			path := filepath.Join(p.dir, name)
			s := p.files.loaded(path)
			if s == nil {
				continue
			}
			for _, at := range s.words(word) {
				if !s.inDirective(at) {
					return path, s.lineOf(at)
				}
			}
		}
	}
	return "", 0
}

// without is the source with the declaration at an offset blanked, or nil
// where there is none.
func (s *source) without(off int, why Problem) *source {
	from, to := s.declarationAt(off)
	if from < 0 {
		return nil
	}
	t := *s
	t.text = append([]byte(nil), s.text...)
	t.blank(from, to)
	t.problems = append(s.problems[:len(s.problems):len(s.problems)], why)
	return &t
}

// declarationAt is the range of the declaration at file scope that an offset is in.
func (s *source) declarationAt(at int) (from, to int) {
	from, to = -1, -1
	depth, prev := 0, byte(0)
	body := false // the brace that is open is that of a function
	var head []byte
	s.code(func(off int) bool {
		c := s.text[off]
		if from < 0 {
			from, head, body = off, nil, false
		}
		if depth == 0 {
			head = append(head, c)
		}
		end := false
		switch c {
		case '{':
			if depth == 0 && strings.HasPrefix(string(head), `extern"C"`) {
				from = -1
				return true
			}
			if depth == 0 {
				body = prev == ')' && !typeHead.Match(head)
			}
			depth++
		case '(', '[':
			depth++
		case '}':
			if depth == 0 {
				from = -1 // of extern "C"
				return true
			}
			depth--
			end = depth == 0 && body
		case ')', ']':
			depth = max(depth-1, 0)
		case ';':
			end = depth == 0
		}
		prev = c
		if !end {
			return true
		}
		if at >= from && at <= off {
			to = off + 1
			return false
		}
		from = -1
		return off < at
	})
	if to < 0 {
		return -1, -1
	}
	return from, to
}

// typeHead matches what stands in front of the brace of a type with attributes;
// the text has lost its blanks and the insides of its brackets.
var typeHead = regexp.MustCompile(`(struct|union|enum)(__attribute__\(\))*\{$`)
