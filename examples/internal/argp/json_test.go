package argp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parseJSON parses a file with this content. It returns an error's text, without the file's
// directory.
func parseJSON(t *testing.T, content string, mandatory bool) (config, *Parser, string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/f", []byte(content), 0o600))
	var got config
	var out strings.Builder
	p := parser(&got, mandatory)
	err := p.Parse([]string{"--json", dir + "/f"}, &out)
	assert.Empty(t, out.String())
	if err == nil {
		return got, p, ""
	}
	return got, p, strings.ReplaceAll(err.Error(), dir+"/", "")
}

func TestJSON(t *testing.T) {
	t.Parallel()
	got, p, err := parseJSON(t, `{"doca_general_flags": {"log-level": 60, "sdk-log-level": 20},
		"doca_program_flags": {"pci-addr": "b1:00.0", "num-src-buf": 2, "quiet": true, "cpu": ["1", "2"], "file": "ä\t\"\n"}}`, true)
	assert.Empty(t, err)
	assert.Equal(t, config{pci: "b1:00.0", n: 2, quiet: true, cpus: []string{"1", "2"}, needed: "ä\t\"\n"}, got)
	assert.Equal(t, 60, p.LogLevel)
	assert.Equal(t, 20, p.SDKLogLevel)

	got, _, err = parseJSON(t, `{"doca_program_flags": {"cpu": "1", "quiet": false, "file": ""}}`, true)
	assert.Empty(t, err)
	assert.Equal(t, config{cpus: []string{"1"}}, got)

	for _, content := range []string{`{}`, `{"doca_program_flags": {}, "doca_general_flags": {}}`, ` {"doca_program_flags":{"cpu":[]}} `} {
		t.Run(content, func(t *testing.T) {
			got, _, err := parseJSON(t, content, false)
			assert.Empty(t, err)
			assert.Equal(t, config{}, got)
		})
	}
}

func TestJSONComments(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"in front":         "// one\n/* two,\nthree \" */ {\"doca_program_flags\": {\"file\": \"x\"}}",
		"between":          `{/**/"doca_program_flags"/* a */:/* b */{ "file" /* c */ : /* d */ "x" /* e **/ }/*f*/}`,
		"after a line":     "{\n\t\"doca_program_flags\": { // \"quiet\": true,\n\t\t\"file\": \"x\" // */ /*\n\t}\n}",
		"at the end":       `{"doca_program_flags": {"file": "x"}} // no line break`,
		"other than UTF-8": "{\"doca_program_flags\": { // \xe4\n\"file\": \"x\"}}",
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := parseJSON(t, content, true)
			assert.Empty(t, err)
			assert.Equal(t, config{needed: "x"}, got)
		})
	}
	t.Run("in a string", func(t *testing.T) {
		got, _, err := parseJSON(t, `{"doca_program_flags": {"file": "//a\"/*b*/", /* "cpu": "1", */ "pci-addr": "/*"}}`, true)
		assert.Empty(t, err)
		assert.Equal(t, config{needed: `//a"/*b*/`, pci: "/*"}, got)
	})
	t.Run("place of an error", func(t *testing.T) {
		_, _, err := parseJSON(t, "/* one\ntwo */ {\"doca_program_flags\": /* x */ []}", false)
		assert.Equal(t, `f:2:39: "doca_program_flags" is an array, not an object: write {"NAME": VALUE, ...} (see --help)`, err)
	})
	t.Run("without end", func(t *testing.T) {
		for _, content := range []string{"{ /* x\n}", "{} /*", "{} /*/"} {
			_, _, err := parseJSON(t, content, false)
			assert.Contains(t, err, "f:1:")
			assert.Contains(t, err, ": the comment has no end: close it with */ (see --help)")
		}
	})
	t.Run("a slash alone", func(t *testing.T) {
		_, _, err := parseJSON(t, "{} / x", false)
		assert.Contains(t, err, "f:1:4: invalid character '/' after the end")
	})
}

func TestJSONErrors(t *testing.T) {
	t.Parallel()
	const program = `{"doca_program_flags": {`
	for _, c := range []struct{ json, err string }{
		// Sections and keys.
		{`[]`, `f:1:1: the file is an array, not an object: write {"NAME": VALUE, ...}`},
		{"\n null", `f:2:2: the file is null, not an object: write {"NAME": VALUE, ...}`},
		{`"x"`, `f:1:1: the file is a string, not an object: write {"NAME": VALUE, ...}`},
		{`{"doca_program_flags": []}`, `f:1:24: "doca_program_flags" is an array, not an object: write {"NAME": VALUE, ...}`},
		{`{"doca_general_flags" : 3}`, `f:1:25: "doca_general_flags" is a number, not an object: write {"NAME": VALUE, ...}`},
		{`{"flags": {}}`, `f:1:2: unknown section "flags": the sections are "doca_general_flags" and "doca_program_flags"`},
		{`{"doca_program_flags": {}, "doca_program_flags": {}}`, `f:1:28: "doca_program_flags" is given twice, first on line 1: remove one`},
		{program + "\n\t\"pci\": \"b1:00.0\"}}", `f:2:2: unknown key "pci" in doca_program_flags: the keys are cpu, file, num-src-buf, pci-addr, quiet`},
		{program + `"": 1}}`, `f:1:25: unknown key "" in doca_program_flags: the keys are cpu, file, num-src-buf, pci-addr, quiet`},
		{program + `"log-level": 50}}`, `f:1:25: unknown key "log-level" in doca_program_flags: it belongs in doca_general_flags`},
		{`{"doca_general_flags": {"file": "x"}}`, `f:1:25: unknown key "file" in doca_general_flags: it belongs in doca_program_flags`},
		{`{"doca_general_flags": {"json": "x"}}`, `f:1:25: unknown key "json" in doca_general_flags: the keys are log-level, sdk-log-level`},
		{program + "\"file\": \"x\",\n\"quiet\": true,\r\n \"file\": \"y\"}}", `f:3:2: "file" is given twice, first on line 1: remove one`},

		// Values.
		{program + `"pci-addr": 3}}`, `f:1:37: "pci-addr": the number 3 is not a string: write it in double quotes`},
		{program + `"num-src-buf": "3"}}`, `f:1:40: "num-src-buf": the string "3" is not a number: write it without quotes`},
		{program + `"num-src-buf": "` + strings.Repeat("x", 99) + `"}}`, `f:1:40: "num-src-buf": the string "` + strings.Repeat("x", 57) + `..." is not a number: write it without quotes`},
		{program + `"num-src-buf": 1.5}}`, `f:1:40: "num-src-buf": the number 1.5 is not an integer: write it without a fraction or an exponent`},
		{program + `"num-src-buf": 1E1}}`, `f:1:40: "num-src-buf": the number 1E1 is not an integer: write it without a fraction or an exponent`},
		{program + `"num-src-buf": 3000000000}}`, `f:1:40: "num-src-buf": 3000000000 is not between -2147483648 and 2147483647`},
		{program + `"num-src-buf": 0}}`, `f:1:40: "num-src-buf": 0 is below 1, the minimum`},
		{`{"doca_general_flags": {"log-level": 55}}`, `f:1:38: "log-level": 55 is not one of 10, 20, 30, 40, 50, 60, 70`},
		{program + `"quiet": "yes"}}`, `f:1:34: "quiet": the string "yes" is not a boolean: write true or false`},
		{program + `"quiet": 1}}`, `f:1:34: "quiet": the number 1 is not a boolean: write true or false`},
		{program + `"file": true}}`, `f:1:33: "file": the boolean true is not a string: write it in double quotes`},
		{program + `"file": null}}`, `f:1:33: "file": null is not a string: write it in double quotes`},
		{program + `"file": {"a": 1}}}`, `f:1:33: "file": an object is not a string: write one value`},
		{program + `"file": ["a"]}}`, `f:1:33: "file": an array is not a string: write one value`},
		{program + "\"cpu\": [\"ä\", \"2\",\n\t3]}}", `f:2:2: "cpu": the number 3 is not a string: write it in double quotes`},
		{program + `"cpu": ["ä", 3]}}`, `f:1:38: "cpu": the number 3 is not a string: write it in double quotes`},
		{program + `"cpu": [[]]}}`, `f:1:33: "cpu": an array is not a string: write one value`},
	} {
		t.Run(c.err, func(t *testing.T) {
			_, _, err := parseJSON(t, c.json, false)
			assert.Equal(t, c.err+" (see --help)", err)
		})
	}
	_, _, err := parseJSON(t, program+`"quiet": true}}`, true)
	assert.Equal(t, `f: the mandatory flag -f, --file is missing: add "file" to doca_program_flags (see --help)`, err)
}

func TestJSONSyntax(t *testing.T) {
	t.Parallel()
	const program = `{"doca_program_flags": {`
	const empty = `f:1:1: the file is empty: write {"doca_program_flags": {"NAME": VALUE, ...}}`
	for _, c := range []struct{ json, err string }{
		{"", empty},
		{" \n\t", empty},
		{"{", "f:1:2: the file ends too early: close every string, object and array"},
		{program + "\n", "f:2:1: the file ends too early: close every string, object and array"},
		{program + `"file": "x`, "f:1:35: the file ends too early: close every string, object and array"},
		{program + "\"file\": \"x\",\n}}", `f:2:1: invalid character '}' where a key begins: keys are in double quotes, and the last member has no comma after it`},
		{program + `file: "x"}}`, `f:1:25: invalid character 'f' where a key begins: keys are in double quotes, and the last member has no comma after it`},
		{program + `"ä": "x" "quiet": true}}`, `f:1:34: invalid character '"' after a value: put a comma between members, and } after the last one`},
		{program + `"file", "x"}}`, `f:1:31: invalid character ',' after a key: put a colon between key and value`},
		{program + `"cpu": ["1" "2"]}}`, `f:1:37: invalid character '"' after an element: put a comma between elements, and ] after the last one`},
		{program + `"file": /tmp/x}}`, `f:1:33: invalid character '/' where a value begins: a value is a string in double quotes, a number, true, false, an object or an array`},
		{"\ufeff{}", `f:1:1: invalid character '\ufeff' where a value begins: a value is a string in double quotes, a number, true, false, an object or an array`},
		{"{}\n{}", `f:2:1: invalid character '{' after the end: the file is one object: remove what follows it`},
		{program + "\"file\": \"x\n\"}}", `f:1:35: invalid character '\n' in a string: close its double quote, and write line breaks and tabs as \n and \t`},
		{program + `"file": "C:\x"}}`, `f:1:37: invalid character 'x' in a string: a backslash is written \\`},
		{program + `"file": "\uver"}}`, `f:1:36: invalid character 'v' in a string: \u has four hexadecimal digits, and a backslash is written \\`},
		{program + `"quiet": tRUE}}`, `f:1:35: invalid character 'R' in a word: the words are true, false and null; a string is in double quotes`},
		{program + `"num-src-buf": -x}}`, `f:1:41: invalid character 'x' in a number: numbers are decimal, like 10`},
		{program + `"num-src-buf": 1.x}}`, `f:1:42: invalid character 'x' in a number: numbers are decimal, like 10`},
		{program + `"num-src-buf": 1ex}}`, `f:1:42: invalid character 'x' in a number: numbers are decimal, like 10`},
		{program + "\"file\": \"\xe4\"}}", `f:1:34: the byte 0xe4 is not UTF-8: save the file in that encoding`},
		{strings.Repeat("[", 20000), "f:1:10001: invalid character '[' in too many arrays and objects: the file has sections, and they have keys"},
	} {
		t.Run(c.err, func(t *testing.T) {
			_, _, err := parseJSON(t, c.json, false)
			assert.Equal(t, c.err+" (see --help)", err)
		})
	}
}

func TestJSONFile(t *testing.T) {
	t.Parallel()
	var got config
	var out strings.Builder
	parse := func(args ...string) error { return parser(&got, false).Parse(args, &out) }
	err := parse("-j", "/nowhere/x")
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.EqualError(t, err, "/nowhere/x: no such file or directory: --json must name a readable file of flags (see --help)")
	dir := t.TempDir()
	assert.EqualError(t, parse("-j", dir), dir+": is a directory: --json must name a readable file of flags (see --help)")
	assert.EqualError(t, parse("-j", ""), "-j: the path is empty (see --help)")
	path := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	assert.EqualError(t, parse("--json", path, "-q"), "--json stands alone: no other flag may be given with it (see --help)")
	assert.False(t, got.quiet, "what follows --json is not read")
	assert.EqualError(t, parse("-q", "-j", path), "--json stands alone: no other flag may be given with it (see --help)")
	assert.True(t, got.quiet)
	assert.Empty(t, out.String())
}
