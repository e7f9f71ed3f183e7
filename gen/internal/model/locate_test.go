package model

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/solib"
)

// located is a model of functions, by library, after Locate.
func located(soname string, exports map[string][]string, funcs ...string) (*Library, *Model) {
	l := &Library{Name: "x", Soname: soname, ByName: soname}
	for _, f := range funcs {
		l.Funcs = append(l.Funcs, &Func{Decl: Decl{CName: f}, C: &cparse.Func{Name: f}, Soname: soname})
	}
	l.Funcs = append(l.Funcs, &Func{Decl: Decl{CName: "doca_inline"}, C: &cparse.Func{Inline: true}, Soname: soname})
	m := &Model{Libraries: []*Library{l}}
	m.Locate(&solib.Exports{Dirs: []string{"/sdk/lib"}, Of: exports})
	return l, m
}

func sonames(l *Library) map[string]string {
	all := map[string]string{}
	for _, f := range l.Funcs {
		if !f.C.Inline {
			all[f.CName] = f.Soname
		}
	}
	return all
}

func TestLocate(t *testing.T) {
	t.Parallel()
	const own, other, third = "libdoca_x.so.2", "libdoca_y.so.2", "libdoca_a.so.2"
	for name, c := range map[string]struct {
		rule    string
		exports map[string][]string
		soname  string
		want    map[string]string
		notes   []string
	}{
		"no libraries":      {own, nil, own, map[string]string{"doca_1": own, "doca_2": own, "doca_3": own}, nil},
		"as the name says":  {own, map[string][]string{"doca_1": {own}, "doca_2": {own}, "doca_3": {own}}, own, map[string]string{"doca_1": own, "doca_2": own, "doca_3": own}, nil},
		"some elsewhere":    {own, map[string][]string{"doca_1": {own}, "doca_2": {other}, "doca_3": {other}}, own, map[string]string{"doca_1": own, "doca_2": other, "doca_3": other}, nil},
		"all elsewhere":     {own, map[string][]string{"doca_1": {other}, "doca_2": {other}, "doca_3": {other}}, other, map[string]string{"doca_1": other, "doca_2": other, "doca_3": other}, nil},
		"most of elsewhere": {own, map[string][]string{"doca_1": {third}, "doca_2": {other}, "doca_3": {other}}, other, map[string]string{"doca_1": third, "doca_2": other, "doca_3": other}, nil},
		"not exported": {own, map[string][]string{"doca_1": {other}}, other, map[string]string{"doca_1": other, "doca_2": other, "doca_3": other},
			[]string{"library x: no shared library in /sdk/lib exports doca_2, doca_3"}},
		"library not there": {own, map[string][]string{"doca_z": {other}}, own, map[string]string{"doca_1": own, "doca_2": own, "doca_3": own},
			[]string{"library x: no shared library in /sdk/lib exports any of its 3 functions"}},
		"exported by several": {own, map[string][]string{"doca_1": {third, own, other}, "doca_2": {third, other}, "doca_3": {own}}, own, map[string]string{"doca_1": own, "doca_2": third, "doca_3": own},
			[]string{"doca_1: exported by libdoca_a.so.2 and libdoca_x.so.2 and libdoca_y.so.2, taken from libdoca_x.so.2", "doca_2: exported by libdoca_a.so.2 and libdoca_y.so.2, taken from libdoca_a.so.2"}},
		"for a device":      {"libdoca_x.a", map[string][]string{"doca_z": {other}}, "libdoca_x.a", map[string]string{"doca_1": "libdoca_x.a", "doca_2": "libdoca_x.a", "doca_3": "libdoca_x.a"}, nil},
		"not for a device":  {"libdoca_x.a", map[string][]string{"doca_1": {other}, "doca_2": {other}, "doca_3": {other}}, other, map[string]string{"doca_1": other, "doca_2": other, "doca_3": other}, nil},
		"some for a device": {"libdoca_x.a", map[string][]string{"doca_1": {other}, "doca_2": {other}}, "libdoca_x.a", map[string]string{"doca_1": other, "doca_2": other, "doca_3": "libdoca_x.a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, m := located(c.rule, c.exports, "doca_1", "doca_2", "doca_3")
			assert.Equal(t, c.soname, l.Soname)
			assert.Equal(t, c.want, sonames(l))
			assert.Equal(t, c.notes, m.Notes)
		})
	}
}

// What is bound elsewhere needs no notes, but its sonames.
func TestLocateOfBase(t *testing.T) {
	t.Parallel()
	l := &Library{Name: "x", Soname: "a", ByName: "a", Base: true, Funcs: []*Func{{Decl: Decl{CName: "f"}, C: &cparse.Func{}, Soname: "a"}, {Decl: Decl{CName: "g"}, C: &cparse.Func{}, Soname: "a"}}}
	m := &Model{Libraries: []*Library{l}}
	m.Locate(&solib.Exports{Of: map[string][]string{"f": {"b", "c"}}, Notes: []string{"broken"}})
	assert.Equal(t, map[string]string{"f": "b", "g": "b"}, sonames(l))
	assert.Equal(t, []string{"broken"}, m.Notes)
}
