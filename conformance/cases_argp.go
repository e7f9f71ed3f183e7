// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/argp"
)

// parser is a command line with parameters, whose callbacks are noted.
type parser struct {
	t     *T
	calls []string
}

// parser begins with the parser of the process, of which there is one.
func (t *T) parser() *parser {
	t.must("doca_argp_init", argp.Init("conformance", nil))
	t.onEnd(func() { _ = argp.Destroy() })
	return &parser{t: t}
}

// param describes a parameter: names "p,pci", a type, and what else is set.
type param struct {
	names, description string
	kind               argp.Type
	mandatory, many    bool
	code               error // what the callback returns
}

func (p *parser) add(d param) error {
	t := p.t
	o, err := argp.ParamCreate()
	t.must("doca_argp_param_create", err)
	short, long, _ := strings.Cut(d.names, ",")
	if short != "" {
		t.must("doca_argp_param_set_short_name", argp.ParamSetShortName(o, short))
	}
	if long != "" {
		t.must("doca_argp_param_set_long_name", argp.ParamSetLongName(o, long))
	}
	if d.description != "-" {
		t.must("doca_argp_param_set_description", argp.ParamSetDescription(o, "a parameter"+d.description))
	}
	t.must("doca_argp_param_set_type", argp.ParamSetType(o, d.kind))
	if d.mandatory {
		t.must("doca_argp_param_set_mandatory", argp.ParamSetMandatory(o))
	}
	if d.many {
		t.must("doca_argp_param_set_multiplicity", argp.ParamSetMultiplicity(o))
	}
	t.must("doca_argp_param_set_callback", argp.ParamSetCallbackFunc(o, func(value, _ unsafe.Pointer) error {
		p.calls = append(p.calls, short+"="+valueOf(d.kind, value))
		return d.code
	}))
	return argp.RegisterParam(o)
}

func valueOf(kind argp.Type, value unsafe.Pointer) string {
	switch kind {
	case argp.TypeString:
		return abi.GoString(value)
	case argp.TypeInt:
		return strconv.Itoa(int(*(*int32)(value)))
	}
	return "yes"
}

// sample is the command line of most cases.
func (p *parser) sample() {
	p.t.must("doca_argp_register_param", p.add(param{names: "p,pci", kind: argp.TypeString}))
	p.t.must("doca_argp_register_param", p.add(param{names: "n,number", kind: argp.TypeInt}))
	p.t.must("doca_argp_register_param", p.add(param{names: "b,flag", kind: argp.TypeBoolean}))
	p.t.must("doca_argp_register_param", p.add(param{names: "c,cpu", kind: argp.TypeInt, many: true}))
}

func argpCases() []Case {
	old := func(want abi.Error) []Difference { return []Difference{{Releases: "2.5..2.9", Want: want.String()}} }
	one := func(name, rule string, differences []Difference, run func(t *T)) Case {
		return Case{Name: name, Rule: rule, Source: Observed, Differences: differences, Run: run}
	}
	register := func(names, description string, want ...abi.Error) func(*T) {
		return func(t *T) {
			t.code("doca_argp_register_param of \""+names+"\"", t.parser().add(param{names: names, description: description, kind: argp.TypeString}), want...)
		}
	}
	return of("argp", []Case{
		one("argp/init-twice", "The parser is initialised once.", old(success), func(t *T) {
			t.parser()
			t.code("doca_argp_init a second time", argp.Init("conformance", nil), badState)
		}),
		one("argp/start-before-init", "The parser is initialised before it parses.", old(success), func(t *T) {
			t.code("doca_argp_start before doca_argp_init", argp.Start([]string{"conformance"}), badState)
		}),
		one("argp/destroy-twice", "The parser is destroyed once.", old(success), func(t *T) {
			t.must("doca_argp_init", argp.Init("conformance", nil))
			t.must("doca_argp_destroy", argp.Destroy())
			t.code("doca_argp_destroy a second time", argp.Destroy(), badState)
		}),
		one("argp/no-description", "A parameter has a description.", old(initFailed), register("p,pci", "-", invalid)),
		one("argp/no-name", "A parameter has a name.", old(initFailed), register("", "", invalid)),
		one("argp/dash-in-name", "A name does not begin with a dash.", old(success), register("-p,pci", "", invalid)),
		one("argp/name-with-space", "A name may have a space.", nil, register("s,file size", "", success)),
		one("argp/several-letters", "A short name may have several letters.", nil, register("pf_dev,pf-device", "", success)),
		one("argp/name-of-doca", "The names of DOCA's own flags are taken.", nil, register("l,level", "", invalid)),
		one("argp/name-twice", "A name is registered once.", nil, func(t *T) {
			p := t.parser()
			p.sample()
			t.code("doca_argp_register_param of a name that is taken", p.add(param{names: "p,other", kind: argp.TypeString}), invalid)
		}),
	})
}

func argpParseCases() []Case {
	// line parses a command line: the code and the callbacks are compared.
	line := func(name, rule string, args string, want abi.Error, calls string, differences ...Difference) Case {
		return Case{Name: name, Rule: rule, Source: Observed, Differences: differences, Run: func(t *T) {
			p := t.parser()
			p.sample()
			t.code("doca_argp_start with "+args, argp.Start(append([]string{"conformance"}, strings.Fields(args)...)), want)
			t.equal("doca_argp_start with "+args+", the callbacks", strings.Join(p.calls, " "), calls)
		}}
	}
	// In 2.5 the whole command line was read before any callback ran, in the order of registration.
	order := func(calls string) Difference {
		return Difference{Releases: "2.5..2.9", Want: calls, Note: "it reads the whole line first"}
	}
	return of("argp", []Case{
		line("argp/order", "Callbacks run in the order of the command line.", "-n 4 -p 1", success, "n=4 p=1", order("p=1 n=4")),
		line("argp/many", "A parameter with multiplicity has its callback run for each value, at its place.", "--cpu 3 -p 1 --cpu 4", success, "c=3 p=1 c=4", order("p=1 c=3 c=4")),
		line("argp/unknown-flag", "An unknown flag is NOT_SUPPORTED; what stood before it has run.", "-p 1 -x -b", notSupported, "p=1", order("")),
		line("argp/twice", "A parameter without multiplicity is given once; the first one has run.", "-p 1 -p 2", invalid, "p=1", order("")),
		line("argp/missing-value", "A value is not left out; what stood before has run.", "-b -n", invalid, "b=yes", order("")),
		line("argp/stray-word", "A stray word is NOT_SUPPORTED.", "word", notSupported, ""),
		line("argp/equals-sign", "--name=value is not understood.", "--pci=1", notSupported, ""),
		line("argp/value-with-dash", "The word behind a parameter is its value, also with a dash.", "-p -b", success, "p=-b"),
		line("argp/hexadecimal", "Integers may be hexadecimal or negative.", "-n 0x10 --cpu -5", success, "n=16 c=-5"),
		line("argp/no-integer", "An integer is a number.", "-n four", invalid, ""),
		line("argp/level", "A level that does not exist is refused.", "-l 99", invalid, ""),
		line("argp/flag-without-value", "A flag takes no value.", "-b yes", notSupported, "b=yes", order("")),
		{
			Name: "argp/mandatory", Rule: "A mandatory parameter is looked for after the callbacks.", Source: Observed, Differences: []Difference{order("")},
			Run: func(t *T) {
				p := t.parser()
				p.sample()
				t.must("doca_argp_register_param", p.add(param{names: "m,must", kind: argp.TypeString, mandatory: true}))
				t.code("doca_argp_start without a mandatory parameter", argp.Start([]string{"conformance", "-b"}), invalid)
				t.equal("doca_argp_start without a mandatory parameter, the callbacks", strings.Join(p.calls, " "), "b=yes")
			},
		},
		{
			Name: "argp/callback-fails", Rule: "What a callback returns ends the parsing, and is the result.", Source: Observed,
			Run: func(t *T) {
				p := t.parser()
				t.must("doca_argp_register_param", p.add(param{names: "p,pci", kind: argp.TypeString, code: tooBig}))
				t.must("doca_argp_register_param", p.add(param{names: "b,flag", kind: argp.TypeBoolean}))
				t.code("doca_argp_start with a callback that fails", argp.Start([]string{"conformance", "-p", "1", "-b"}), tooBig)
				t.equal("doca_argp_start with a callback that fails, the callbacks", strings.Join(p.calls, " "), "p=1")
			},
		},
	})
}
