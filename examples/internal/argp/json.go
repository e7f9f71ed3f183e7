package argp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const (
	generalFlags = "doca_general_flags"
	programFlags = "doca_program_flags"
)

// jsonFile reads a file of flags: an object with the sections doca_general_flags and
// doca_program_flags, whose keys are the long names of flags. It may have // and /* */ comments.
type jsonFile struct {
	path    string
	content []byte
	decoder *json.Decoder
	params  map[string][]*Param // that each section may have
	given   map[*Param]bool
}

// file takes the parameters from a JSON file.
func (p *Parser) file(path string, given map[*Param]bool) error {
	content, err := os.ReadFile(path)
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err // the path is in front
		}
		return fmt.Errorf("%s: %w: --json must name a readable file of flags", path, err)
	}
	f := &jsonFile{path: path, content: withoutComments(content), given: given, params: map[string][]*Param{programFlags: p.program}}
	for _, q := range p.general {
		if q.Long != "json" && q.kind != boolean {
			f.params[generalFlags] = append(f.params[generalFlags], q)
		}
	}
	if err := f.checkSyntax(); err != nil {
		return err
	}
	f.decoder = json.NewDecoder(bytes.NewReader(f.content))
	f.decoder.UseNumber()
	return f.object("the file", f.section)
}

// next returns the next token and where it begins. There is one: the syntax was checked.
func (f *jsonFile) next() (json.Token, int, error) {
	at := int(f.decoder.InputOffset())
	at += len(f.content[at:]) - len(bytes.TrimLeft(f.content[at:], " \t\r\n,:"))
	token, err := f.decoder.Token()
	if err != nil {
		err = f.errorf(at, "%w", err)
	}
	return token, at, err
}

// object reads an object. For each member it calls member with the key and where that begins;
// the decoder is then at the value.
func (f *jsonFile) object(name string, member func(key string, at int) error) error {
	token, at, err := f.next()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return f.errorf(at, `%s is %s, not an object: write {"NAME": VALUE, ...}`, name, kindOf(token))
	}
	first := map[string]int{}
	for f.decoder.More() {
		token, at, err := f.next()
		if err != nil {
			return err
		}
		key := token.(string)
		if before, twice := first[key]; twice {
			line, _ := f.position(before)
			return f.errorf(at, "%q is given twice, first on line %d: remove one", key, line)
		}
		first[key] = at
		if err := member(key, at); err != nil {
			return err
		}
	}
	_, _, err = f.next()
	return err
}

func (f *jsonFile) section(section string, at int) error {
	params, ok := f.params[section]
	if !ok {
		return f.errorf(at, "unknown section %q: the sections are %q and %q", section, generalFlags, programFlags)
	}
	return f.object(fmt.Sprintf("%q", section), func(key string, at int) error {
		i := slices.IndexFunc(params, func(q *Param) bool { return q.Long != "" && q.Long == key })
		if i < 0 {
			return f.errorf(at, "unknown key %q in %s: %s", key, section, f.advice(section, key))
		}
		f.given[params[i]] = true
		return f.values(params[i])
	})
}

// advice says which keys there are, or that a key belongs to the other section.
func (f *jsonFile) advice(section, key string) string {
	var known []string
	for name, params := range f.params {
		for _, q := range params {
			switch {
			case name != section && q.Long == key:
				return "it belongs in " + name
			case name == section && q.Long != "":
				known = append(known, q.Long)
			}
		}
	}
	slices.Sort(known)
	return "the keys are " + strings.Join(known, ", ")
}

// values sets the value of a key. A repeatable parameter may have an array.
func (f *jsonFile) values(q *Param) error {
	token, at, err := f.next()
	if err != nil {
		return err
	}
	if !q.Repeatable || token != json.Delim('[') {
		return f.set(q, token, at)
	}
	for f.decoder.More() {
		if token, at, err = f.next(); err != nil {
			return err
		}
		if err := f.set(q, token, at); err != nil {
			return err
		}
	}
	_, _, err = f.next()
	return err
}

// set sets one value. A boolean that is false counts as not given.
func (f *jsonFile) set(q *Param, token json.Token, at int) error {
	value, err := q.jsonText(token)
	if err == nil && token != false {
		err = q.Set(value)
	}
	if err != nil {
		return f.errorf(at, "%q: %w", q.Long, err)
	}
	return nil
}

// jsonText checks the type of a value and returns it as the command line would have it.
func (q *Param) jsonText(token json.Token) (string, error) {
	want := [...]string{text: "a string", integer: "a number", boolean: "a boolean"}[q.kind]
	if kindOf(token) != want {
		advice := [...]string{text: "write it in double quotes", integer: "write it without quotes", boolean: "write true or false"}[q.kind]
		if _, compound := token.(json.Delim); compound {
			advice = "write one value"
		}
		return "", fmt.Errorf("%s is not %s: %s", describe(token), want, advice)
	}
	if _, ok := token.(json.Number); ok && strings.ContainsAny(fmt.Sprint(token), ".eE") {
		return "", fmt.Errorf("%s is not an integer: write it without a fraction or an exponent", describe(token))
	}
	return fmt.Sprint(token), nil
}

// kindOf returns JSON's name for the type of a value.
func kindOf(token json.Token) string {
	switch token.(type) {
	case json.Delim:
		if token == json.Delim('[') {
			return "an array"
		}
		return "an object"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	}
	return "null"
}

// describe returns the type of a value and, if it is a single one, the value.
func describe(token json.Token) string {
	switch x := token.(type) {
	case string:
		return fmt.Sprintf("the string %q", shorten(x))
	case json.Number:
		return "the number " + shorten(x.String())
	case bool:
		return fmt.Sprintf("the boolean %t", x)
	}
	return kindOf(token)
}
