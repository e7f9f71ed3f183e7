package cparse

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSystemHeaders includes what DOCA headers of all releases include, and more.
func TestSystemHeaders(t *testing.T) {
	all := []string{"assert.h", "arpa/inet.h", "ctype.h", "endian.h", "errno.h", "fcntl.h", "inttypes.h", "limits.h", "linux/if_ether.h",
		"linux/types.h", "math.h", "net/if.h", "netinet/in.h", "netinet/ip.h", "pthread.h", "sched.h", "signal.h", "stdarg.h",
		"stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "strings.h", "sys/epoll.h", "sys/ioctl.h",
		"sys/mman.h", "sys/queue.h", "sys/socket.h", "sys/stat.h", "sys/time.h", "sys/types.h", "sys/uio.h", "syslog.h", "time.h", "unistd.h"}
	text := ""
	for _, name := range all {
		text += "#include <" + name + ">\n"
	}
	text += "#include <linux/types.h>\nint doca_f(FILE *f, uint64_t a, pthread_t t, struct timespec *ts, struct in_addr in, __be64 b, time_t s, pid_t p);\n"
	h := parseHeader(t, text)
	assert.Empty(t, h.Problems)
	assert.Equal(t, "int doca_f(FILE *f, uint64_t a, pthread_t t, struct timespec *ts, struct in_addr in, __be64 b, time_t s, pid_t p)",
		funcLine(fn(t, h, "doca_f")))
	for _, name := range all {
		h := parseHeader(t, "#include <"+name+">\nint doca_f(void);\n")
		assert.Empty(t, h.Problems, name)
		assert.Len(t, h.Funcs, 1, name)
	}
}

// TestPlainLibrary puts the built-in C library in front of the system's: the
// declarations come out the same.
func TestPlainLibrary(t *testing.T) {
	for _, dir := range []string{"testdata/2.2", "testdata/2.5", referenceHeaders} {
		t.Run(dir, func(t *testing.T) {
			abs, err := filepath.Abs(dir)
			require.NoError(t, err)
			names, err := listHeaders(abs)
			require.NoError(t, err)
			p := &parser{dir: abs, files: newFiles(abs)}
			p.cc, err = hostConfig()
			require.NoError(t, err)
			p.preload(names)
			for _, n := range names {
				u := unit{headers: []string{n}}
				system, plain := p.runWith(u, false), p.runWith(u, true)
				require.Nil(t, system.err)
				require.Nil(t, plain.err)
				assert.Equal(t, system.headers, plain.headers)
			}
		})
	}
}

// TestBrokenSystemHeader has a system header that the parser cannot read.
func TestBrokenSystemHeader(t *testing.T) {
	system := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(system, "stdint.h"), []byte("typedef @ uint8_t;\n"), 0o644))
	dir := writeHeaders(t, map[string]string{"doca_x.h": "#include <stdint.h>\nint f(uint32_t a);\n"})
	p := &parser{dir: dir, files: newFiles(dir)}
	host, err := hostConfig()
	require.NoError(t, err)
	p.cc = host
	p.cc.HostSysIncludePaths = append([]string{system}, host.HostSysIncludePaths...)
	p.preload([]string{"doca_x.h"})
	r := p.run(unit{headers: []string{"doca_x.h"}})
	require.Nil(t, r.err)
	assert.Equal(t, "int f(uint32_t a)", funcLine(r.headers[0].Funcs[0]))
	require.Len(t, r.notes, 1)
	assert.Contains(t, r.notes[0], filepath.Join(system, "stdint.h"))
}

// TestStandIns includes each stand-in alone. Those for headers that the
// machine has are read all the same, by the plain search.
func TestStandIns(t *testing.T) {
	var names []string
	require.NoError(t, fs.WalkDir(standIns, "standin", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	}))
	require.Greater(t, len(names), 30)
	for _, path := range names {
		t.Run(path, func(t *testing.T) {
			name := strings.SplitN(path, "/", 3)[2]
			dir := writeHeaders(t, map[string]string{"doca_x.h": "#include <" + name + ">\nint f(void);\n"})
			p := &parser{dir: dir, files: newFiles(dir)}
			var err error
			p.cc, err = hostConfig()
			require.NoError(t, err)
			p.preload([]string{"doca_x.h"})
			r := p.runWith(unit{headers: []string{"doca_x.h"}}, true)
			require.Nil(t, r.err)
			assert.Len(t, r.headers[0].Funcs, 1)
			assert.NotNil(t, p.files.loaded(builtin+strings.TrimPrefix(path, "standin/")), "the stand-in was read")
		})
	}
}

// TestStandInsAreLast has a header of the directory with the name of a stand-in.
func TestStandInsAreLast(t *testing.T) {
	api, err := Parse(Config{
		Dir: writeHeaders(t, map[string]string{
			"doca_x.h":    "#include <dpaintrin.h>\n#include <ucp/api/ucp.h>\nint f(real_t a, ucp_worker_h w);\n",
			"dpaintrin.h": "typedef int real_t;\n",
		}),
		Headers: []string{"doca_x.h"},
	})
	require.NoError(t, err)
	assert.Equal(t, "int f(real_t a, ucp_worker_h w)", funcLine(fn(t, api.Headers[0], "f")))
	for _, n := range api.Notes {
		assert.NotContains(t, n, "dpaintrin.h")
	}
}

func TestHasInclude(t *testing.T) {
	h := parseHeader(t, `
#if __has_include(<no/such/header.h>)
#include <no/such/header.h>
int bad(void);
#endif
#if __has_include(<stdint.h>)
#include <stdint.h>
uint8_t good(void);
#endif
`)
	require.Len(t, h.Funcs, 1)
	assert.Equal(t, "good", h.Funcs[0].Name)
}

// TestAbsent has what TestHard cannot: includes that are absent and do
// no harm, that are the SDK's own, or that a macro names.
func TestAbsent(t *testing.T) {
	t.Parallel()
	parse := func(headers map[string]string) (*API, error) {
		return Parse(Config{Dir: writeHeaders(t, headers)})
	}
	api, err := parse(map[string]string{
		"doca_a.h": "#include <foo/bar.h>\nint doca_a(struct foo *f);\n",
		"doca_b.h": "#define DOCA_INC <foo/baz.h>\n#include DOCA_INC\n#include <foo/bar.h>\nint doca_b(foo_t *f, foo_t *g);\nint doca_c(doca_missing_t *m);\n",
		"doca_d.h": "FOO_API int doca_d(void);\n",
	})
	require.ErrorContains(t, err, `doca_d.h:1: unknown type name "FOO_API"`, "with nothing absent it is an error")
	assert.NotContains(t, err.Error(), "doca_b.h")
	assert.Nil(t, api)

	api, err = parse(map[string]string{
		"doca_a.h": "#include <foo/bar.h>\nint doca_a(struct foo *f);\n",
		"doca_b.h": "#define DOCA_INC <foo/baz.h>\n#include DOCA_INC\n#include <foo/bar.h>\nint doca_b(foo_t *f, foo_t *g);\n",
		"doca_c.h": "int doca_c(void);\n",
	})
	require.NoError(t, err)
	fn(t, header(t, api, "doca_a.h"), "doca_a")
	b := fn(t, header(t, api, "doca_b.h"), "doca_b")
	assert.Equal(t, ptr(&Type{Kind: Named, Name: "foo_t", Elem: &Type{Kind: Struct, Name: "foo_t"}}), b.Params[0].Type)
	assert.Equal(t, []string{
		"no header declares foo_t: taken to be opaque types of foo/bar.h (line 3 of doca_b.h), foo/baz.h (of doca_b.h)",
		"not installed: foo/bar.h (line 1 of doca_a.h); declarations that need it are missing",
		"not installed: foo/bar.h (line 3 of doca_b.h); declarations that need it are missing",
		"not installed: foo/baz.h (of doca_b.h); declarations that need it are missing",
	}, api.Notes)

	_, err = parse(map[string]string{"doca_a.h": "int a;\n#include <doca_y.h>\n"})
	assert.EqualError(t, err, "doca_a.h:2: include file not found: doca_y.h\n\t#include <doca_y.h>")
}

// TestNotAlone has a header that relies on others without including them.
func TestNotAlone(t *testing.T) {
	t.Parallel()
	api, err := Parse(Config{Dir: writeHeaders(t, map[string]string{
		"doca_a.h": "int doca_a(doca_t t, foo_t *f);\n#include <foo/bar.h>\n",
		"doca_b.h": "doca_t doca_b(void);\n",
		"doca_t.h": "typedef int doca_t;\n",
	}), Layouts: true})
	require.NoError(t, err)
	assert.Equal(t, "int doca_a(doca_t t, foo_t *f)", funcLine(fn(t, header(t, api, "doca_a.h"), "doca_a")))
	assert.Equal(t, "doca_t doca_b(void)", funcLine(fn(t, header(t, api, "doca_b.h"), "doca_b")))
	assert.Contains(t, api.Notes, "doca_b.h: parsed after the other headers, because it does not parse alone")
}
