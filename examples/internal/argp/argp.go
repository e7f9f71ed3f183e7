// Package argp reads a command line the way DOCA's argument parser does, so that the Go
// examples take the flags and JSON files of NVIDIA's programs.
//
// A parameter has a short name (one dash, one or more letters) and a long one (two dashes).
// Its value is the next word; there is no --name=value. A boolean has no value. A parameter
// may be given once, unless it is repeatable. The words are read from left to right, and what is
// wrong stops the parser after the values before it were set. All parameters can come from a JSON
// file instead: --json is then the only flag.
package argp

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/generated/abi"
)

// ErrDone is returned for -h and -v, after their output was printed.
var ErrDone = errors.New("done")

// Param is one parameter of a program.
type Param struct {
	Short, Long string
	Argument    string // what the help calls its value: "<path>"
	Help        string
	Mandatory   bool
	Repeatable  bool
	// Set takes a value; a boolean gets "true". With Int, the number is checked and stored before.
	Set  func(value string) error
	kind kind
}

type kind int

const (
	text kind = iota
	integer
	boolean
)

// Parser holds the parameters of a program.
type Parser struct {
	name    string
	general []*Param
	program []*Param
	// LogLevel is what -l asked for, 10 (nothing) to 70 (everything); 0 when it was not given.
	LogLevel int
	// SDKLogLevel is the same for DOCA's own messages.
	SDKLogLevel int
	json        string
}

// New makes a parser with DOCA's general flags.
func New(name string) *Parser {
	p := &Parser{name: name}
	p.general = []*Param{
		{Short: "h", Long: "help", Help: "Print a help synopsis", kind: boolean},
		{Short: "v", Long: "version", Help: "Print program version information", kind: boolean},
		{Short: "l", Long: "log-level", Help: "Set the (numeric) log level for the program <10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>", kind: integer, Set: level(&p.LogLevel)},
		{Long: "sdk-log-level", Help: "Set the SDK (numeric) log level for the program <10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>", kind: integer, Set: level(&p.SDKLogLevel)},
		{Short: "j", Long: "json", Argument: "<path>", Help: "Parse command line flags from an input json file", Set: func(v string) error {
			if p.json = v; v == "" {
				return errors.New("the path is empty")
			}
			return nil
		}},
	}
	return p
}

// String adds a parameter whose value is text.
func (p *Parser) String(v *string, q Param) {
	p.add(q, text, func(s string) error { *v = s; return nil })
}

// Int adds a parameter whose value is a number, not below least: decimal, hexadecimal (0x10)
// or octal (020).
func (p *Parser) Int(v *int, least int, q Param) {
	then := q.Set
	q.Set = func(s string) error {
		n, err := number(s)
		if err == nil && n < least {
			err = fmt.Errorf("%d is below %d, the minimum", n, least)
		}
		if err != nil {
			return err
		}
		if *v = n; then == nil {
			return nil
		}
		return then(s)
	}
	p.add(q, integer, nil)
}

// Bool adds a parameter without a value.
func (p *Parser) Bool(v *bool, q Param) {
	p.add(q, boolean, func(string) error { *v = true; return nil })
}

func (p *Parser) add(q Param, k kind, set func(string) error) {
	q.kind = k
	if q.Set == nil {
		q.Set = set
	}
	p.program = append(p.program, &q)
}

// Parse reads the arguments that follow the program's name. It writes help and version to out.
// An error is one line that says what is wrong, and that --help says more.
func (p *Parser) Parse(args []string, out io.Writer) error {
	err := p.parse(args, out)
	if err != nil && !errors.Is(err, ErrDone) {
		return fmt.Errorf("%w (see --help)", err)
	}
	return err
}

func (p *Parser) parse(args []string, out io.Writer) error {
	given := map[*Param]bool{}
	for i := 0; i < len(args); i++ {
		q := p.find(args[i])
		if q == nil {
			return unknown(args[i])
		}
		switch {
		case q == p.general[0]:
			p.Usage(out)
			return ErrDone
		case q == p.general[1]:
			fmt.Fprintf(out, "DOCA Version: %s\n", abi.BindingsVersion)
			return ErrDone
		case given[q] && !q.Repeatable:
			return fmt.Errorf("%s is given twice: give it once", q.names())
		}
		given[q] = true
		name, value := args[i], "true"
		if q.kind != boolean {
			if i++; i == len(args) {
				return fmt.Errorf("%s needs a value: give it as the next word", name)
			}
			value = args[i]
		}
		if q.Long == "json" && len(args) != 2 {
			return errors.New("--json stands alone: no other flag may be given with it")
		}
		if err := q.Set(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if p.json != "" {
		if err := p.file(p.json, given); err != nil {
			return err
		}
	}
	for _, q := range p.program {
		switch {
		case !q.Mandatory || given[q]:
		case p.json != "":
			return fmt.Errorf("%s: the mandatory flag %s is missing: add %q to %s", p.json, q.names(), q.Long, programFlags)
		default:
			return fmt.Errorf("the mandatory flag %s is missing", q.names())
		}
	}
	return nil
}

// unknown returns the error for a word that is no flag.
func unknown(word string) error {
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return fmt.Errorf("unknown flag %s: give the value as the next word: %s %s", show(word), show(name), show(value))
	}
	if !strings.HasPrefix(word, "-") {
		return fmt.Errorf("unknown flag %s: it does not begin with a dash; a value of several words needs quotes", show(word))
	}
	return fmt.Errorf("unknown flag %s", show(word))
}

// shorten returns a word, or the beginning of a long one.
func shorten(word string) string {
	const longest = 60
	if r := []rune(word); len(r) > longest {
		return string(r[:longest-3]) + "..."
	}
	return word
}

// show returns a word as errors show it: not too long, and on one line.
func show(word string) string {
	word = shorten(word)
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !strconv.IsGraphic(r) }) {
		return strconv.Quote(word)
	}
	return word
}

func (p *Parser) find(word string) *Param {
	for _, q := range append(p.general[:len(p.general):len(p.general)], p.program...) {
		if q.Short != "" && word == "-"+q.Short || q.Long != "" && word == "--"+q.Long {
			return q
		}
	}
	return nil
}

func (q *Param) names() string {
	switch {
	case q.Short == "":
		return "--" + q.Long
	case q.Long == "":
		return "-" + q.Short
	}
	return "-" + q.Short + ", --" + q.Long
}

// Usage prints the help.
func (p *Parser) Usage(out io.Writer) {
	fmt.Fprintf(out, "\nUsage: %s [DOCA Flags] [Program Flags]\n", p.name)
	for _, block := range []struct {
		title  string
		params []*Param
	}{{"DOCA Flags:", p.general}, {"Program Flags:", p.program}} {
		fmt.Fprintf(out, "\n%s\n", block.title)
		for _, q := range block.params {
			fmt.Fprintf(out, "  %-33s %s\n", strings.TrimSpace(q.names()+" "+q.Argument), q.Help)
		}
	}
	fmt.Fprintln(out)
}

func number(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is not between %d and %d", show(s), math.MinInt32, math.MaxInt32)
	case err != nil:
		return 0, fmt.Errorf("%s is not a number", show(s))
	}
	return int(n), nil
}

func level(v *int) func(string) error {
	return func(s string) error {
		n, err := number(s)
		if err == nil && (n < 10 || n > 70 || n%10 != 0) {
			err = fmt.Errorf("%d is not one of 10, 20, 30, 40, 50, 60, 70", n)
		}
		if err == nil {
			*v = n
		}
		return err
	}
}
