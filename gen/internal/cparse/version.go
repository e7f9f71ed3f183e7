package cparse

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

const versionHeader = "doca_version.h"

// version reads doca_version.h, whose macros are spelled DOCA_VERSION_MAJOR
// since 2.6 and DOCA_VER_MAJOR before.
func (p *parser) version() (Version, error) {
	src, err := p.files.load(filepath.Join(p.dir, versionHeader))
	if err != nil {
		var pe *ParseError
		if errors.As(err, &pe) {
			return Version{}, pe
		}
		return Version{}, fmt.Errorf("no %s in %s: it says which SDK the headers are of", versionHeader, p.dir)
	}
	for _, prefix := range []string{"DOCA_VERSION_", "DOCA_VER_"} {
		v, found, err := versionOf(src, prefix)
		if found {
			return v, err
		}
	}
	return Version{}, &ParseError{Pos: Pos{File: versionHeader},
		Text: "defines neither DOCA_VERSION_MAJOR, _MINOR, _PATCH nor DOCA_VER_MAJOR, _MINOR, _PATCH"}
}

// versionOf reads the macros of one spelling; found is whether there is a MAJOR.
func versionOf(src *source, prefix string) (v Version, found bool, err error) {
	defs := map[string]directive{}
	for _, d := range src.directives {
		if d.name == "define" {
			name, value := d.macro()
			defs[name] = directive{start: d.start, rest: value}
		}
	}
	if _, ok := defs[prefix+"MAJOR"]; !ok {
		return v, false, nil
	}
	for _, part := range []struct {
		name string
		to   *int
	}{{"MAJOR", &v.Major}, {"MINOR", &v.Minor}, {"PATCH", &v.Patch}} {
		d, ok := defs[prefix+part.name]
		if !ok {
			return v, true, &ParseError{Pos: Pos{File: versionHeader}, Text: prefix + part.name + " is not defined"}
		}
		if *part.to, err = versionNumber(d.rest); err != nil {
			return v, true, src.errorAt(versionHeader, d.start, prefix+part.name+" is not a number", true)
		}
	}
	v.String = strings.Trim(defs[prefix+"STRING"].rest, `"() `)
	if v.String == "" {
		v.String = fmt.Sprintf("%d.%d.%04d", v.Major, v.Minor, v.Patch)
	}
	return v, true, nil
}

// versionNumber reads a decimal number; a leading zero does not make it octal.
func versionNumber(s string) (int, error) {
	return strconv.Atoi(strings.TrimRight(strings.Trim(s, "() "), "uUlL"))
}
