package argp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// mistakes says, for what encoding/json reports about a misplaced character, where the
// character is and what to do. The first entry that matches counts.
var mistakes = []struct{ context, where, advice string }{
	{"looking for beginning of object key string", "where a key begins", "keys are in double quotes, and the last member has no comma after it"},
	{"after object key:value pair", "after a value", "put a comma between members, and } after the last one"},
	{"after object key", "after a key", "put a colon between key and value"},
	{"after array element", "after an element", "put a comma between elements, and ] after the last one"},
	{"looking for beginning of value", "where a value begins", "a value is a string in double quotes, a number, true, false, an object or an array"},
	{"after top-level value", "after the end", "the file is one object: remove what follows it"},
	{"in string literal", "in a string", `close its double quote, and write line breaks and tabs as \n and \t`},
	{`in \u hexadecimal`, "in a string", `\u has four hexadecimal digits, and a backslash is written \\`},
	{"in string escape code", "in a string", `a backslash is written \\`},
	{"in literal", "in a word", "the words are true, false and null; a string is in double quotes"},
	{"numeric literal", "in a number", "numbers are decimal, like 10"},
	{"exceeded max depth", "in too many arrays and objects", "the file has sections, and they have keys"},
}

// withoutComments returns JSON with a space for each byte of a // or /* */ comment, so that the rest keeps its place.
// A /* comment without end stays.
func withoutComments(content []byte) []byte {
	out := bytes.Clone(content)
	for at := 0; at < len(out); at++ {
		end := 0
		switch rest := out[at:]; {
		case rest[0] == '"':
			at += stringEnd(rest)
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			if end = bytes.IndexByte(rest, '\n'); end < 0 {
				end = len(rest)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			if end = 2 + bytes.Index(rest[2:], []byte("*/")); end < 2 {
				return out
			}
			end += 2
		default:
			continue
		}
		for i := range out[at : at+end] {
			if out[at+i] != '\n' {
				out[at+i] = ' '
			}
		}
		at += end - 1
	}
	return out
}

// stringEnd returns where the closing quote is of the string that text begins with, or the last byte.
func stringEnd(text []byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at
		}
	}
	return len(text) - 1
}

// checkSyntax returns an error with the place where the file is not JSON.
func (f *jsonFile) checkSyntax() error {
	if len(bytes.TrimSpace(f.content)) == 0 {
		return f.errorf(0, `the file is empty: write {%q: {"NAME": VALUE, ...}}`, programFlags)
	}
	for at := 0; at < len(f.content); {
		r, n := utf8.DecodeRune(f.content[at:])
		if r == utf8.RuneError && n == 1 {
			return f.errorf(at, "the byte %#x is not UTF-8: save the file in that encoding", f.content[at])
		}
		at += n
	}
	var whole json.RawMessage
	err := json.Unmarshal(f.content, &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		return f.errorf(len(f.content), "the file ends too early: close every string, object and array")
	}
	at := max(int(syntax.Offset)-1, 0)
	if bytes.HasPrefix(f.content[at:], []byte("/*")) {
		return f.errorf(at, "the comment has no end: close it with */")
	}
	found, _ := utf8.DecodeRune(f.content[at:])
	for _, m := range mistakes {
		if strings.Contains(syntax.Error(), m.context) {
			return f.errorf(at, "invalid character %q %s: %s", found, m.where, m.advice)
		}
	}
	return f.errorf(at, "not JSON: %w", syntax)
}

// errorf returns an error that names a place in the file.
func (f *jsonFile) errorf(at int, format string, args ...any) error {
	line, column := f.position(at)
	return fmt.Errorf("%s:%d:%d: "+format, append([]any{f.path, line, column}, args...)...)
}

// position returns the line and column of a place, from 1. Columns are in characters.
func (f *jsonFile) position(at int) (line, column int) {
	before := f.content[:at]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
