// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/argp"
)

// parser is a command line whose parameters all have the same type: the bindings have one callback for all of them, which
// is not told which one it is called for.
type parser struct {
	t      *T
	kind   argp.Type
	values []string // that the callback has got
	fails  abi.Error
}

// parser begins with the parser of the process, of which there is one.
func (t *T) parser(kind argp.Type) *parser {
	t.must("doca_argp_init", argp.Init("conformance", nil))
	t.onEnd(func() { _ = argp.Destroy() })
	return &parser{t: t, kind: kind}
}

// param describes a parameter: its short and long name, "p,pci", and what else is set.
type param struct {
	names           string
	bare            bool // it has no description
	mandatory, many bool
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
	if !d.bare {
		t.must("doca_argp_param_set_description", argp.ParamSetDescription(o, "a parameter"))
	}
	t.must("doca_argp_param_set_type", argp.ParamSetType(o, p.kind))
	if d.mandatory {
		t.must("doca_argp_param_set_mandatory", argp.ParamSetMandatory(o))
	}
	if d.many {
		t.must("doca_argp_param_set_multiplicity", argp.ParamSetMultiplicity(o))
	}
	t.must("doca_argp_param_set_callback", argp.ParamSetCallbackFunc(o, func(value, _ unsafe.Pointer) error {
		p.values = append(p.values, valueOf(p.kind, value))
		if p.fails != 0 {
			return p.fails
		}
		return nil
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
	return strconv.FormatBool(*(*byte)(value) != 0)
}

// sample is the command line of most cases.
func (p *parser) sample() {
	for _, d := range []param{{names: "p,pci"}, {names: "n,number"}, {names: "c,cpu", many: p.kind != argp.TypeBoolean}} {
		p.t.must("doca_argp_register_param", p.add(d))
	}
}

func argpCases() []Case {
	old := func(want abi.Error) []Difference { return []Difference{{Releases: "2.5..2.9", Want: want.String()}} }
	one := func(name, rule string, differences []Difference, run func(t *T)) Case {
		return Case{Name: name, Rule: rule, Source: Observed, Differences: differences, Run: run}
	}
	register := func(asked string, d param, want ...abi.Error) func(*T) {
		return func(t *T) { t.code("doca_argp_register_param "+asked, t.parser(argp.TypeString).add(d), want...) }
	}
	return of("argp", []Case{
		one("argp/init-twice", "The parser is initialised once.", old(success), func(t *T) {
			t.parser(argp.TypeString)
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
		one("argp/no-description", "A parameter has a description.", old(initFailed), register("without a description", param{names: "p,pci", bare: true}, invalid)),
		one("argp/no-name", "A parameter has a name.", old(initFailed), register("without a name", param{}, invalid)),
		one("argp/dash-in-name", "A name does not begin with a dash.", old(success), register("of -p,pci", param{names: "-p,pci"}, invalid)),
		one("argp/name-with-space", "A name may have a space.", nil, register("of s,file size", param{names: "s,file size"}, success)),
		one("argp/several-letters", "A short name may have several letters.", nil, register("of pf_dev,pf-device", param{names: "pf_dev,pf-device"}, success)),
		one("argp/name-of-doca", "The names of DOCA's own flags are taken.", nil, register("of l,level", param{names: "l,level"}, invalid)),
		one("argp/name-twice", "A name is registered once.", nil, func(t *T) {
			p := t.parser(argp.TypeString)
			p.sample()
			t.code("doca_argp_register_param of a name that is taken", p.add(param{names: "p,other"}), invalid)
		}),
	})
}

func argpParseCases() []Case {
	// line parses a command line: the code and the values of the callbacks are compared.
	line := func(name, rule string, kind argp.Type, args string, want abi.Error, values string, differences ...Difference) Case {
		return Case{Name: name, Rule: rule, Source: Observed, Differences: differences, Run: func(t *T) {
			p := t.parser(kind)
			p.sample()
			t.code("doca_argp_start with "+args, argp.Start(append([]string{"conformance"}, strings.Fields(args)...)), want)
			t.equal("doca_argp_start with "+args+", the values of the callbacks", strings.Join(p.values, " "), values)
		}}
	}
	// In 2.5 the whole command line was read before any callback ran, in the order of registration.
	order := func(values string) Difference {
		return Difference{Releases: "2.5..2.9", Want: values, Note: "it reads the whole line first"}
	}
	text, number, flag := argp.TypeString, argp.TypeInt, argp.TypeBoolean
	return of("argp", []Case{
		line("argp/order", "Callbacks run in the order of the command line.", text, "-n four -p one", success, "four one", order("one four")),
		line("argp/many", "A parameter with multiplicity has its callback run for each value, at its place.", text, "--cpu 3 -p 1 --cpu 4", success, "3 1 4", order("1 3 4")),
		line("argp/unknown-flag", "An unknown flag is NOT_SUPPORTED; what stood before it has run.", text, "-p 1 -x -n 2", notSupported, "1", order("")),
		line("argp/twice", "A parameter without multiplicity is given once; the first one has run.", text, "-p 1 -p 2", invalid, "1", order("")),
		line("argp/missing-value", "A value is not left out; what stood before has run.", text, "-p 1 -n", invalid, "1", order("")),
		line("argp/stray-word", "A stray word is NOT_SUPPORTED.", text, "word", notSupported, ""),
		line("argp/equals-sign", "--name=value is not understood.", text, "--pci=1", notSupported, ""),
		line("argp/value-with-dash", "The word behind a parameter is its value, also with a dash.", text, "-p -n", success, "-n"),
		line("argp/hexadecimal", "Integers may be hexadecimal or negative.", number, "-n 0x10 --cpu -5", success, "16 -5"),
		line("argp/no-integer", "An integer is a number.", number, "-n four", invalid, ""),
		line("argp/level", "A level that does not exist is refused.", text, "-l 99", invalid, ""),
		line("argp/flag", "A flag is true when it is given.", flag, "-n --pci", success, "true true"),
		line("argp/flag-without-value", "A flag takes no value.", flag, "-n yes", notSupported, "true", order("")),
		{
			Name: "argp/mandatory", Rule: "A mandatory parameter is looked for after the callbacks.", Source: Observed, Differences: []Difference{order("")},
			Run: func(t *T) {
				p := t.parser(text)
				p.sample()
				t.must("doca_argp_register_param", p.add(param{names: "m,must", mandatory: true}))
				t.code("doca_argp_start without a mandatory parameter", argp.Start([]string{"conformance", "-p", "1"}), invalid)
				t.equal("doca_argp_start without a mandatory parameter, the values of the callbacks", strings.Join(p.values, " "), "1")
			},
		},
		{
			Name: "argp/callback-fails", Rule: "What a callback returns ends the parsing, and is the result.", Source: Observed,
			Run: func(t *T) {
				p := t.parser(text)
				p.fails = tooBig
				p.sample()
				t.code("doca_argp_start with a callback that fails", argp.Start([]string{"conformance", "-p", "1", "-n", "2"}), tooBig)
				t.equal("doca_argp_start with a callback that fails, the values of the callbacks", strings.Join(p.values, " "), "1")
			},
		},
	})
}
