package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// options are what a command line says.
type options struct {
	sources    []string
	output     string
	app        string
	hostCC     string
	hostFlags  []string // for what runs on the host
	deviceCC   []string // for the sources
	both       []string // -I, -D and their like
	deviceLibs []string // -L, -l and archives
	attributes string
	verbose    bool
	help       bool
	version    bool
}

// processors are the values of -mcpu: the generations of the DPA.
var processors = []string{"nv-dpa-bf3", "nv-dpa-cx7", "nv-dpa-cx8", "nv-dpa-cx9"}

// option is one that dpacc knows. What only matters to hardware is read and has no effect.
type option struct {
	names []string // without the dashes in front
	set   func(o *options, value string) error
	flag  func(o *options) // one without a value
}

var known = []option{
	{names: []string{"o", "output-file"}, set: func(o *options, v string) error { return once(&o.output, "-o", v) }},
	{names: []string{"app-name"}, set: func(o *options, v string) error {
		if !identifier.MatchString(v) {
			return fmt.Errorf("--app-name %q is not an identifier of C: the host's program declares a variable of that name", v)
		}
		return once(&o.app, "--app-name", v)
	}},
	{names: []string{"mcpu"}, set: checkProcessors},
	{names: []string{"hostcc"}, set: func(o *options, v string) error { return once(&o.hostCC, "-hostcc", v) }},
	{names: []string{"hostcc-options"}, set: func(o *options, v string) (err error) {
		o.hostFlags, err = addWords(o.hostFlags, v)
		return err
	}},
	{names: []string{"devicecc-options"}, set: func(o *options, v string) error {
		words, err := addWords(nil, v)
		for _, w := range words {
			if !forHardware(w) {
				o.deviceCC = append(o.deviceCC, w)
			}
		}
		return err
	}},
	{names: []string{"devicelink-options"}, set: func(*options, string) error { return nil }},
	{names: []string{"device-libs"}, set: func(o *options, v string) (err error) {
		o.deviceLibs, err = addWords(o.deviceLibs, v)
		return err
	}},
	{names: []string{"dpa-proc-attr"}, set: func(o *options, v string) error { return once(&o.attributes, "--dpa-proc-attr", v) }},
	{names: []string{"flto"}, flag: func(*options) {}},
	{names: []string{"disable-asm-checks"}, flag: func(*options) {}},
	{names: []string{"v", "verbose"}, flag: func(o *options) { o.verbose = true }},
	{names: []string{"h", "help"}, flag: func(o *options) { o.help = true }},
	{names: []string{"V", "version"}, flag: func(o *options) { o.version = true }},
}

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// parse reads a command line. Options have one dash or two; a value follows, in the same argument behind = or in the next.
func parse(args []string) (*options, error) {
	o := &options{hostCC: ""}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if err := o.input(arg); err != nil {
				return nil, err
			}
			continue
		}
		next := func() (string, error) {
			if i+1 == len(args) {
				return "", fmt.Errorf("option %s wants a value", arg)
			}
			i++
			return args[i], nil
		}
		if len(arg) >= 2 && strings.ContainsAny(arg[1:2], "IDU") { // as of the C compiler
			if len(arg) == 2 {
				value, err := next()
				if err != nil {
					return nil, err
				}
				arg += value
			}
			o.both = append(o.both, arg)
			continue
		}
		if err := o.option(arg, next); err != nil {
			return nil, err
		}
	}
	if o.help || o.version {
		return o, nil
	}
	return o, o.complete()
}

func (o *options) option(arg string, next func() (string, error)) error {
	name, value, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	for _, k := range known {
		if !slices.Contains(k.names, name) {
			continue
		}
		if k.flag != nil {
			if joined && name != "flto" {
				return fmt.Errorf("option %s takes no value", strings.TrimSuffix(arg, "="+value))
			}
			k.flag(o)
			return nil
		}
		if !joined {
			var err error
			if value, err = next(); err != nil {
				return err
			}
		}
		if value == "" && !strings.HasSuffix(name, "-options") && name != "device-libs" {
			return fmt.Errorf("option %s wants a value", strings.TrimSuffix(arg, "="))
		}
		return k.set(o, value)
	}
	return fmt.Errorf("unknown option %s; dpacc --help lists those that the emulator has", arg)
}

// input takes a source, or an archive for the device.
func (o *options) input(name string) error {
	switch filepath.Ext(name) {
	case ".c":
		o.sources = append(o.sources, name)
	case ".a":
		o.deviceLibs = append(o.deviceLibs, name)
	default:
		return fmt.Errorf("%s is neither a source (.c) nor an archive (.a)", name)
	}
	return nil
}

// complete checks what an archive needs.
func (o *options) complete() error {
	switch {
	case len(o.sources) == 0:
		return fmt.Errorf("name the device's sources")
	case o.output == "":
		return fmt.Errorf("name the archive with -o")
	case filepath.Ext(o.output) != ".a" && filepath.Ext(o.output) != ".o":
		return fmt.Errorf("-o %s: what comes out is an archive (.a) or an object (.o)", o.output)
	case o.app == "":
		return fmt.Errorf("name the application with --app-name")
	case slices.Contains(o.sources, o.output):
		return fmt.Errorf("-o %s is a source", o.output)
	}
	return nil
}

// once sets an option that has one value.
func once(to *string, name, value string) error {
	if *to != "" && *to != value {
		return fmt.Errorf("option %s is given twice, as %s and as %s", name, *to, value)
	}
	*to = value
	return nil
}

func checkProcessors(_ *options, list string) error {
	for cpu := range strings.SplitSeq(list, ",") {
		if !slices.Contains(processors, strings.TrimSpace(cpu)) {
			return fmt.Errorf("-mcpu: there is no processor %q; there are %s", cpu, strings.Join(processors, ", "))
		}
	}
	return nil
}

// forHardware tells whether an option means something to a compiler for the DPA alone. Its warnings are not those of the
// host's compiler, which therefore never are errors.
func forHardware(flag string) bool {
	for _, prefix := range []string{"-mcpu", "-march", "-mtune", "-mabi", "-mcmodel", "-target", "--target", "-flto", "-Werror"} {
		if flag == prefix || strings.HasPrefix(flag, prefix+"=") {
			return true
		}
	}
	return false
}

// addWords cuts options that are in one argument, as a shell does. Commas may part them as well, before a blank.
func addWords(list []string, text string) ([]string, error) {
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	end := func() {
		if w := strings.TrimSuffix(word.String(), ","); inWord && w != "" {
			list = append(list, w)
		}
		word.Reset()
		inWord = false
	}
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\n", r):
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("a quote is open at the end of %q", text)
	}
	end()
	return list, nil
}
