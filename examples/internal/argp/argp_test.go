package argp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		{"-p 1 -p 2", config{pci: "1"}, "-p is given twice"},
		{"-x", config{}, "unknown flag -x"},
		{"stray", config{}, "unknown flag stray"},
		{"-q yes", config{quiet: true}, "unknown flag yes"},
		{"--pci-addr=1", config{}, "unknown flag --pci-addr=1"},
		{"-p", config{}, "-p needs a value"},
		{"-ns two", config{}, "-ns two: not a number"},
		{"-ns 0", config{}, "-ns 0: 0 is below 1"},
		{"-l 55", config{}, "-l 55: not one of 10"},
		{"-l 60 --sdk-log-level 30", config{}, ""},
	} {
		var got config
		var out strings.Builder
		err := parser(&got, false).Parse(strings.Fields(c.args), &out)
		if c.err == "" {
			assert.NoError(t, err, c.args)
			assert.Empty(t, out.String())
		} else if assert.Error(t, err, c.args) {
			assert.Contains(t, err.Error(), c.err)
			assert.Contains(t, out.String(), "Usage: prog [DOCA Flags] [Program Flags]")
		}
		assert.Equal(t, c.want, got, c.args)
	}
}

func TestMandatory(t *testing.T) {
	t.Parallel()
	var c config
	var out strings.Builder
	assert.ErrorContains(t, parser(&c, true).Parse(nil, &out), "-f, --file is missing")
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

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ json, err string }{
		{`{"doca_general_flags": {"log-level": 60}, "doca_program_flags": {"pci-addr": "b1:00.0", "num-src-buf": 2, "quiet": true, "cpu": ["1", "2"]}}`, ""},
		{`{"doca_program_flags": {"pci": "b1:00.0"}}`, `unknown key "pci"`},
		{`{"flags": {}}`, `unknown section "flags"`},
		{`{"doca_program_flags": {"pci-addr": 3}}`, "3 is not a string"},
		{`{"doca_program_flags": {"num-src-buf": "3"}}`, "3 is not an integer"},
		{`{"doca_program_flags": {"num-src-buf": 1.5}}`, "1.5 is not an integer"},
		{`{"doca_program_flags": `, "unexpected end of JSON"},
	} {
		path := filepath.Join(t.TempDir(), "flags.json")
		require.NoError(t, os.WriteFile(path, []byte(c.json), 0o600))
		var got config
		var out strings.Builder
		p := parser(&got, false)
		err := p.Parse([]string{"--json", path}, &out)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, config{pci: "b1:00.0", n: 2, quiet: true, cpus: []string{"1", "2"}}, got)
		assert.Equal(t, 60, p.LogLevel)
	}
	var got config
	var out strings.Builder
	err := parser(&got, false).Parse([]string{"--json", "x", "-q"}, &out)
	assert.ErrorContains(t, err, "--json stands alone")
	err = parser(&got, false).Parse([]string{"-j", "/nowhere/x"}, &out)
	assert.True(t, errors.Is(err, os.ErrNotExist))
}
