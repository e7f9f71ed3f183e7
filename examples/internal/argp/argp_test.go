package argp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

type config struct {
	pci    string
	n      int
	cpus   []string
	quiet  bool
	needed string
}

func parser(c *config, mandatory bool) *Parser {
	p := New("prog")
	p.String(&c.pci, Param{Short: "p", Long: "pci-addr", Argument: "<PCI>", Help: "Device"})
	p.Int(&c.n, 1, Param{Short: "ns", Long: "num-src-buf", Help: "Number"})
	p.Bool(&c.quiet, Param{Short: "q", Long: "quiet", Help: "Say nothing"})
	p.String(nil, Param{Long: "cpu", Help: "Core", Repeatable: true, Set: func(s string) error { c.cpus = append(c.cpus, s); return nil }})
	p.String(&c.needed, Param{Short: "f", Long: "file", Help: "File", Mandatory: mandatory})
	return p
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want config
		err  string
	}{
		{"", config{}, ""},
		{"-p 03:00.0 -ns 0x10 -q", config{pci: "03:00.0", n: 16, quiet: true}, ""},
		{"--pci-addr 03:00.0 --num-src-buf 3", config{pci: "03:00.0", n: 3}, ""},
		{"--cpu 1 --cpu 2", config{cpus: []string{"1", "2"}}, ""},
		{"--cpu 3 -p 1 --cpu 4", config{pci: "1", cpus: []string{"3", "4"}}, ""},
		{"-q -p 1 -l 99", config{quiet: true, pci: "1"}, "-l: 99 is not one of 10, 20, 30, 40, 50, 60, 70"},
		{"-p 1 -x -q", config{pci: "1"}, "unknown flag -x"},
		{"-p -q", config{pci: "-q"}, ""},
		{"-p 1 --pci-addr 2", config{pci: "1"}, "-p, --pci-addr is given twice: give it once"},
		{"-x", config{}, "unknown flag -x"},
		{"stray", config{}, "unknown flag stray: it does not begin with a dash; a value of several words needs quotes"},
		{"-q yes", config{quiet: true}, "unknown flag yes: it does not begin with a dash; a value of several words needs quotes"},
		{"--pci-addr=1", config{}, "unknown flag --pci-addr=1: give the value as the next word: --pci-addr 1"},
		{"-\x01", config{}, `unknown flag "-\x01"`},
		{"-" + strings.Repeat("é", 60), config{}, "unknown flag -" + strings.Repeat("é", 56) + "..."},
		{"-p", config{}, "-p needs a value: give it as the next word"},
		{"-ns two", config{}, "-ns: two is not a number"},
		{"-ns 0", config{}, "-ns: 0 is below 1, the minimum"},
		{"-ns 2147483648", config{}, "-ns: 2147483648 is not between -2147483648 and 2147483647"},
		{"-l 55", config{}, "-l: 55 is not one of 10, 20, 30, 40, 50, 60, 70"},
		{"-l 60 --sdk-log-level 30", config{}, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			var got config
			var out strings.Builder
			err := parser(&got, false).Parse(strings.Fields(c.args), &out)
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.err+" (see --help)")
			}
			assert.Empty(t, out.String())
			assert.Equal(t, c.want, got)
		})
	}
}

func TestMandatory(t *testing.T) {
	t.Parallel()
	var c config
	var out strings.Builder
	assert.EqualError(t, parser(&c, true).Parse(nil, &out), "the mandatory flag -f, --file is missing (see --help)")
	assert.NoError(t, parser(&c, true).Parse([]string{"-f", "x"}, &out))
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	var c config
	var out strings.Builder
	assert.ErrorIs(t, parser(&c, true).Parse([]string{"-h"}, &out), ErrDone)
	assert.Contains(t, out.String(), "\nUsage: prog [DOCA Flags] [Program Flags]\n\nDOCA Flags:\n  -h, --help                        Print a help")
	assert.Contains(t, out.String(), "\nProgram Flags:\n  -p, --pci-addr <PCI>              Device\n")
	out.Reset()
	assert.ErrorIs(t, parser(&c, true).Parse([]string{"-v"}, &out), ErrDone)
	assert.Equal(t, "DOCA Version: 3.0.0058\n", out.String())
}
