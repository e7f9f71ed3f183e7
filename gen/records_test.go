package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// withSieve is an SDK that has a library doca_sieve of the given header.
func withSieve(t *testing.T, header string) string {
	t.Helper()
	sdk := filepath.Join(t.TempDir(), "sdk")
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_sieve.h"), []byte(header), 0o644))
	return sdk
}

func hardHeader(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/hard/doca_sieve.h")
	require.NoError(t, err)
	return string(text)
}

// layouts compares the layouts of the model with those that the C compiler gives the header itself, and
// returns the records that are bound and those that are not, with the reasons.
func layouts(t *testing.T, sdk string) (bound map[string]*model.Struct, skipped map[string]string) {
	t.Helper()
	api, err := cparse.Parse(cparse.Config{Dir: sdk, Headers: []string{"doca_error.h", "doca_types.h", "doca_sieve.h"}, Layouts: true})
	require.NoError(t, err)
	m, err := model.Build(api, []model.Spec{
		{Name: "common", Headers: []string{"doca_error.h", "doca_types.h"}}, {Name: "sieve", Prefix: "sieve", Headers: []string{"doca_sieve.h"}},
	})
	require.NoError(t, err)
	records := map[string]*cparse.Record{}
	for _, r := range api.Headers[2].Records {
		records[r.Name+r.Typedef] = r
	}
	bound, skipped = map[string]*model.Struct{}, map[string]string{}
	for _, s := range m.Libraries[1].Skipped {
		skipped[s.Name] = s.Reason
	}
	for _, s := range m.Libraries[1].Structs {
		if s.InPlace {
			continue
		}
		bound[s.CName] = s
		r := records[s.C.Name+s.C.Typedef]
		require.NotNil(t, r, s.CName)
		require.NotNil(t, r.Layout, s.CName)
		assert.Equal(t, r.Layout.Size, s.Size, "size of %s", r.Declaration())
		assert.Equal(t, r.Layout.Align, s.Align, "alignment of %s", r.Declaration())
		for _, f := range append(append([]*model.Field(nil), s.Fields...), s.Methods...) {
			if f.Form == model.AsBits {
				continue
			}
			offset, ok := r.Layout.Offsets[f.CName]
			assert.True(t, ok, f.CName)
			assert.Equal(t, offset, f.Offset, "%s of %s", f.CName, r.Declaration())
		}
	}
	return bound, skipped
}

// onArm64 has the C compiler for the other machine assert the layouts, where it is installed.
func onArm64(t *testing.T, mod string) {
	t.Helper()
	const cc = "aarch64-linux-gnu-gcc"
	if _, err := exec.LookPath(cc); err != nil {
		t.Logf("layouts on arm64 were not compared: %v", err)
		return
	}
	sources, err := filepath.Glob(filepath.Join(mod, "bindings", "sieve", "*.c"))
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, f := range sources {
		text, err := exec.Command(cc, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f).CombinedOutput()
		require.NoError(t, err, string(text))
	}
}

// bindings generates a package in a module of its own; its tests compare Go's view of each record with C's.
func bindings(t *testing.T, sdk string) (dir string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	mod := t.TempDir()
	goMod := "module example.com/user\n\ngo 1.26.0\n\nrequire github.com/go-doca/go-doca v0.0.0\n\nreplace github.com/go-doca/go-doca => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(mod, "go.mod"), []byte(goMod), 0o644))
	dir = filepath.Join(mod, "bindings")
	status, _, errOut := gen("generate", "-sdk", sdk, "-libs", "common,sieve", "-out", dir)
	require.Zero(t, status, errOut)
	for _, args := range [][]string{{"vet", "./bindings/..."}, {"test", "-v", "./bindings/sieve"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = mod
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
		assert.NotContains(t, string(text), "warning:")
		if args[0] == "test" {
			assert.Contains(t, string(text), "--- PASS: TestLayout")
			assert.Contains(t, string(text), "--- PASS: TestBitFields")
		}
	}
	strictly(t, dir)
	onArm64(t, mod)
	return dir
}

// strictly compiles the C of the bindings with the warnings that this project's own must not have.
func strictly(t *testing.T, dir string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(dir, "sieve", "*.c"))
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, s := range sources {
		text, err := exec.Command("cc", "-fsyntax-only", "-std=gnu11", "-Wall", "-Wextra", "-Wno-psabi", "-Wno-sign-compare", "-Werror", s).CombinedOutput()
		assert.NoError(t, err, string(text))
	}
}

func TestHardRecords(t *testing.T) {
	t.Parallel()
	sdk := withSieve(t, hardHeader(t))
	bound, skipped := layouts(t, sdk)
	assert.Equal(t, map[string]string{
		"doca_sieve_gap":   "doca_sieve.h:237: unnamed bit-field: its type aligns the record on arm64 and does not on amd64",
		"doca_sieve_quad":  "doca_sieve.h:244: member value: 16-byte floating point number",
		"doca_sieve_inner": "doca_sieve.h:260: member value: 16-byte floating point number",
		"doca_sieve_outer": "doca_sieve.h:265: member inner: struct doca_sieve_inner is not bound: doca_sieve.h:260: member value: 16-byte floating point number",
	}, skipped)
	assert.Len(t, bound, 24)
	dir := bindings(t, sdk)
	text, err := os.ReadFile(filepath.Join(dir, "sieve", "sieve.go"))
	require.NoError(t, err)
	for _, want := range []string{
		"func Add(sieve *Sieve, match *Match) (err error)",
		"func Send(sieve *Sieve, wire *Wire, from *Address) (err error)",
		"func ListFunc(sieve *Sieve) (result *List, err error)",
		"func Pair", "pair *Pair", "func (r *Match) Ip4() *MatchIp4", "func (r *Match) SetVni(v uint64)", "func (r *List) Elements(n int) []Member",
		"func (r *Address) IPv6() *[4]Be32", "func (r *Wire) SetTable(v [2][3]uint16)", "func (r *Bits) SetAction(v Action)", "func (r *Bits) On() bool",
		"VLAN   [2]MatchEthVLAN", "Visits  [2]unsafe.Pointer", "Matches [2][2]Match", "_     [0]uint64",
		"func Deep(sieve *Sieve, env unsafe.Pointer, n uint64, all unsafe.Pointer) (err error)",
		"// env and all point to pointers. All of it must be in C memory, such as [abi.Alloc] returns, and no",
		"Second [2]NamelessFirst", "func (r *Nameless) Bits()", "Plain int32", "Tiny int8", "Below int32",
	} {
		assert.Contains(t, squeeze(string(text)), squeeze(want))
	}
	status, out, errOut := gen("check", "-sdk", sdk, "-bindings", dir)
	assert.Zero(t, status, out+errOut)
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// Names that differ in C by nothing but case or underscores differ in Go, and methods leave the names
// of standard interfaces alone.
func TestMemberNames(t *testing.T) {
	t.Parallel()
	bound, _ := layouts(t, withSieve(t, hardHeader(t)))
	s := bound["doca_sieve_names"]
	require.NotNil(t, s)
	var names []string
	for _, f := range append(append([]*model.Field(nil), s.Fields...), s.Methods...) {
		names = append(names, f.GoName)
	}
	assert.Equal(t, []string{"AB", "AB_2", "Ab", "Field12", "String", "Func", "Type", "SetType_2", "FormatMember", "SeekMember"}, names)
}

// randomRecords writes records of any shape. Those before a record may be its members.
type randomRecords struct {
	*rand.Rand
	b     strings.Builder
	types []string
	n     int
}

func (r *randomRecords) oneOf(from ...string) string { return from[r.IntN(len(from))] }

func (r *randomRecords) attributes(some int) string {
	if r.IntN(some) > 0 {
		return ""
	}
	return r.oneOf("", " __attribute__((packed))", " __attribute__((aligned(4)))", " __attribute__((packed, aligned(2)))", " __attribute__((aligned(16)))")
}

func (r *randomRecords) members(depth int, inUnion bool) {
	for range 1 + r.IntN(6) {
		r.n++
		name := fmt.Sprintf("m%d", r.n)
		switch k := r.IntN(10); {
		case k < 3:
			base := r.oneOf("uint8_t", "uint16_t", "int32_t", "uint64_t", "int64_t", "bool", "enum doca_sieve_small", "enum doca_sieve_action", "unsigned")
			most := map[string]int{"uint8_t": 8, "uint16_t": 16, "bool": 1, "uint64_t": 64, "int64_t": 64, "enum doca_sieve_small": 8}[base]
			if most == 0 {
				most = 31
			}
			fmt.Fprintf(&r.b, "%s %s : %d;\n", base, name, 1+r.IntN(most))
		case k < 5 && depth < 3:
			kind := r.oneOf("struct", "union")
			fmt.Fprintf(&r.b, "%s {\n", kind)
			r.members(depth+1, kind == "union")
			suffix := ""
			if r.IntN(2) == 0 {
				suffix = r.oneOf(name, name+"[2]", name+"[2][3]")
			}
			fmt.Fprintf(&r.b, "}%s %s;\n", r.attributes(6), suffix)
		case k == 5:
			fmt.Fprintf(&r.b, "void (*%s)(int);\n", name)
		default:
			base := r.oneOf(append([]string{"uint8_t", "uint16_t", "uint32_t", "uint64_t", "float", "double", "bool", "void *", "enum doca_sieve_small"}, r.types...)...)
			fmt.Fprintf(&r.b, "%s %s%s;\n", base, r.oneOf(name, name+"[3]", name+"[2][2]"), r.attributes(6))
		}
	}
}

func (r *randomRecords) header(count int) string {
	r.b.WriteString("#pragma once\n#include <doca_error.h>\n#include <stdbool.h>\n#include <stdint.h>\nstruct doca_sieve;\n" +
		"enum __attribute__((packed)) doca_sieve_small { DOCA_SIEVE_SMALL_A, DOCA_SIEVE_SMALL_B };\n" +
		"enum doca_sieve_action { DOCA_SIEVE_ACTION_A, DOCA_SIEVE_ACTION_B };\n")
	for i := range count {
		kind := r.oneOf("struct", "struct", "struct", "union")
		pack := r.IntN(5) == 0
		if pack {
			fmt.Fprintf(&r.b, "#pragma pack(push, %s)\n", r.oneOf("1", "2", "4"))
		}
		name := fmt.Sprintf("%s doca_sieve_r%d", kind, i)
		fmt.Fprintf(&r.b, "%s {\n", name)
		r.members(0, kind == "union")
		if kind == "struct" && r.IntN(6) == 0 {
			fmt.Fprintf(&r.b, "uint8_t tail[];\n")
		} else if len(r.types) < 8 {
			r.types = append(r.types, name)
		}
		fmt.Fprintf(&r.b, "}%s;\n", r.attributes(4))
		if pack {
			r.b.WriteString("#pragma pack(pop)\n")
		}
		fmt.Fprintf(&r.b, "doca_error_t doca_sieve_use_r%d(struct doca_sieve *sieve, %s *r);\n", i, name)
		if slices.Contains(r.types, name) {
			fmt.Fprintf(&r.b, "%s doca_sieve_turn_r%d(%s r, const %s *other);\n", name, i, name, name)
		}
	}
	return r.b.String()
}

// Records that nobody has thought of: the layouts are those of the C compiler, bit for bit.
func TestRandomRecords(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		r := &randomRecords{Rand: rand.New(rand.NewPCG(seed, 3))}
		sdk := withSieve(t, r.header(60))
		bound, skipped := layouts(t, sdk)
		assert.Greater(t, len(bound), 50, skipped)
		for name, reason := range skipped {
			assert.Regexp(t, `flexible array that is not aligned|is not bound`, reason, name)
		}
		if seed == 0 && !t.Failed() {
			dir := bindings(t, sdk)
			status, out, errOut := gen("check", "-sdk", sdk, "-bindings", dir)
			assert.Zero(t, status, out+errOut)
		}
	}
}
