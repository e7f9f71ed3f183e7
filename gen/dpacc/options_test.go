package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command line of NVIDIA's samples, and each option in its forms.
func TestParse(t *testing.T) {
	t.Parallel()
	base := []string{"a.c", "-o", "liba.a", "--app-name=app"}
	want := func(change func(o *options)) *options {
		o := &options{sources: []string{"a.c"}, output: "liba.a", app: "app"}
		change(o)
		return o
	}
	for name, c := range map[string]struct {
		args []string
		want func(o *options)
	}{
		"nothing else":              {nil, func(*options) {}},
		"more sources":              {[]string{"dir/b.c", "../c.c"}, func(o *options) { o.sources = []string{"a.c", "dir/b.c", "../c.c"} }},
		"processors":                {[]string{"-mcpu=nv-dpa-bf3,nv-dpa-cx7,nv-dpa-cx8, nv-dpa-cx9"}, func(*options) {}},
		"processors, apart":         {[]string{"--mcpu", "nv-dpa-bf3"}, func(*options) {}},
		"host compiler":             {[]string{"-hostcc=gcc"}, func(o *options) { o.hostCC = "gcc" }},
		"host compiler, two dashes": {[]string{"--hostcc", "gcc"}, func(o *options) { o.hostCC = "gcc" }},
		"host flags":                {[]string{"-hostcc-options=-Wall  -DX='a b'"}, func(o *options) { o.hostFlags = []string{"-Wall", "-DX=a b"} }},
		"host flags, two dashes":    {[]string{"--hostcc-options", "-g"}, func(o *options) { o.hostFlags = []string{"-g"} }},
		"no host flags":             {[]string{"-hostcc-options="}, func(*options) {}},
		"device flags": {[]string{"--devicecc-options=-O2, -DFLEXIO_DEV_ALLOW_EXPERIMENTAL_API, -Wall"},
			func(o *options) { o.deviceCC = []string{"-O2", "-DFLEXIO_DEV_ALLOW_EXPERIMENTAL_API", "-Wall"} }},
		"device flags, twice": {[]string{"-devicecc-options", "-O2", "-devicecc-options", "-g"}, func(o *options) { o.deviceCC = []string{"-O2", "-g"} }},
		"device flags for hardware": {[]string{"-devicecc-options=-O3 -march=rv64 -mcpu=x -mcmodel=medany -flto -flto=thin -Werror -Werror=unused -Wl,-z"},
			func(o *options) { o.deviceCC = []string{"-O3", "-Wl,-z"} }},
		"libraries": {[]string{"-device-libs=-L/opt/x -ldoca_dpa_dev -ldoca_dpa_dev_comm"},
			func(o *options) { o.deviceLibs = []string{"-L/opt/x", "-ldoca_dpa_dev", "-ldoca_dpa_dev_comm"} }},
		"libraries, two dashes": {[]string{"--device-libs", "-la", "more.a"}, func(o *options) { o.deviceLibs = []string{"-la", "more.a"} }},
		"without effect":        {[]string{"-flto", "--flto=full", "-disable-asm-checks", "-devicelink-options=-x"}, func(*options) {}},
		"attributes":            {[]string{"--dpa-proc-attr=x.blob"}, func(o *options) { o.attributes = "x.blob" }},
		"attributes, apart":     {[]string{"-dpa-proc-attr", "x.blob"}, func(o *options) { o.attributes = "x.blob" }},
		"as of the C compiler":  {[]string{"-I", "dir", "-Iother", "-DX=1", "-D", "Y", "-UZ"}, func(o *options) { o.both = []string{"-Idir", "-Iother", "-DX=1", "-DY", "-UZ"} }},
		"the same twice":        {[]string{"-o", "liba.a", "-app-name", "app"}, func(*options) {}},
		"commands":              {[]string{"-v"}, func(o *options) { o.verbose = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := parse(append(append([]string{}, base...), c.args...))
			require.NoError(t, err)
			assert.Equal(t, want(c.want), o)
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	base := []string{"a.c", "-o", "liba.a", "--app-name=app"}
	for want, args := range map[string][]string{
		`name the device's sources`:                                                   {},
		`name the archive with -o`:                                                    {"a.c", "--app-name=app"},
		`name the application with --app-name`:                                        {"a.c", "-o", "liba.a"},
		`-o prog: what comes out is an archive (.a)`:                                  {"a.c", "-o", "prog", "--app-name=app"},
		`option -o wants a value`:                                                     {"a.c", "--app-name=app", "-o"},
		`option -o is given twice, as liba.a and as b.a`:                              append(base, "-o", "b.a"),
		`option --app-name is given twice, as app and as b`:                           append(base, "-app-name=b"),
		`--app-name "my-app" is not an identifier of C`:                               {"a.c", "-o", "liba.a", "--app-name=my-app"},
		`option --app-name wants a value`:                                             {"a.c", "-o", "liba.a", "--app-name="},
		`-mcpu: there is no processor "nv-dpa-bf9"; there are nv-dpa-bf3, nv-dpa-cx7`: append(base, "-mcpu=nv-dpa-bf3,nv-dpa-bf9"),
		`-mcpu: there is no processor ""`:                                             append(base, "-mcpu=nv-dpa-bf3,"),
		`option -mcpu wants a value`:                                                  append(base, "-mcpu="),
		`unknown option -fast; dpacc --help`:                                          append(base, "-fast"),
		`unknown option --gen-libs; dpacc --help`:                                     append(base, "--gen-libs"),
		`option -disable-asm-checks takes no value`:                                   append(base, "-disable-asm-checks=1"),
		`b.cpp is neither a source (.c) nor an archive (.a)`:                          append(base, "b.cpp"),
		`a quote is open at the end of "-DX='a"`:                                      append(base, "-hostcc-options=-DX='a"),
		`option -I wants a value`:                                                     append(base, "-I"),
		`- is neither a source`:                                                       append(base, "-"),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, err := parse(args)
			assert.ErrorContains(t, err, want)
		})
	}
}

func TestParseHelp(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"-h", "--help", "--version", "-V"} {
		o, err := parse([]string{arg})
		require.NoError(t, err, arg)
		assert.True(t, o.help || o.version, arg)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                    nil,
		"  ":                  nil,
		"a":                   {"a"},
		" a\tb\n c ":          {"a", "b", "c"},
		"a, b,c,":             {"a", "b,c"},
		`'a b' "c d"`:         {"a b", "c d"},
		`-DX="\"text\"" e\ f`: {`-DX="text"`, "e f"},
		`'\'`:                 {`\`},
		"-Wl,-rpath,/x":       {"-Wl,-rpath,/x"},
	} {
		list, err := addWords(nil, text)
		require.NoError(t, err)
		assert.Equal(t, want, list, text)
	}
}
