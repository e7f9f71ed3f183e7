package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reference has all headers of a release, newest those of the release that the bindings are of.
const (
	reference = "../headers/3.0"
	newest    = "../headers/3.2"
)

// gen runs the command and returns its exit status and what it printed.
func gen(args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = run(args, &o, &e)
	return status, o.String(), e.String()
}

// tree reads all files below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(text)
		return err
	}))
	return files
}

func TestCommittedOutputIsUpToDate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "api"), os.DirFS("../generated/api"))) // the other versions
	status, _, errOut := gen("generate", "-base", "none", "-sdk", newest, "-out", dir, "-pkg", "github.com/go-doca/go-doca/generated")
	require.Zero(t, status, errOut)
	want, have := tree(t, "../generated"), tree(t, dir)
	for name := range want {
		assert.Contains(t, have, name, "is committed but no longer generated")
	}
	for name, text := range have {
		assert.True(t, text == want[name], "generated/%s differs from what the headers give: run go generate ./...", name)
	}
}

// Without a header of DOCA core there is nothing for the other libraries to stand on; one of another
// library costs that alone.
func TestBrokenCore(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"-libs", "all"}, {"-keep-going"}} {
		sdk, out := t.TempDir(), t.TempDir()
		require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
		args := append([]string{"generate", "-base", "none", "-sdk", sdk, "-out", out, "-pkg", "x"}, flags...)
		status, _, errOut := gen(args...)
		require.Zero(t, status, errOut)
		before := tree(t, out)

		breakHeader := func(name string) {
			f, err := os.OpenFile(filepath.Join(sdk, name), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("\nno_such_t doca_broken(;\n")
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
		breakHeader("doca_mmap.h")
		status, _, errOut = gen(args...)
		assert.Equal(t, 1, status)
		assert.Regexp(t, `^gen generate: doca_mmap\.h:\d+`, errOut)
		assert.Equal(t, before, tree(t, out))

		text, err := os.ReadFile(filepath.Join(reference, "doca_mmap.h"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_mmap.h"), text, 0o644))
		breakHeader("doca_dma.h")
		status, said, errOut := gen(args...)
		assert.Equal(t, 1, status, said)
		assert.Regexp(t, `^gen generate: `+filepath.Join(out, "dma")+` was generated from doca_dma\.h, which cannot be read any more: doca_dma\.h:\d+: `, errOut)
		assert.Contains(t, errOut, "nothing was written")
		assert.Contains(t, errOut, "-drop")
		assert.Equal(t, before, tree(t, out), "a package that was there is left alone")

		status, said, errOut = gen(append(args, "-drop")...)
		assert.Zero(t, status, errOut)
		assert.Contains(t, said, "note: doca_dma.h could not be read and is left out: doca_dma.h:")
		assert.Contains(t, said, "dma: bound 0, skipped 1\n")
		assert.NoFileExists(t, filepath.Join(out, "dma", "dma.go"))

		status, said, errOut = gen(args...)
		assert.Zero(t, status, "what is not there cannot be lost: %s", errOut)
		assert.Contains(t, said, "dma: bound 0, skipped 1\n")
	}
}

// A library that the SDK has no longer takes its package away; who imports that is named.
func TestRemovedLibrary(t *testing.T) {
	t.Parallel()
	sdk, module := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	for name, text := range map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.25\n",
		"user/user.go":    "package user\n\nimport _ \"example.com/m/generated/dma\"\n",
		"other/other.go":  "package other\n\nimport _ \"example.com/m/generated/common\"\n",
		"other/broken.go": "package",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(module, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(module, name), []byte(text), 0o644))
	}
	out := filepath.Join(module, "generated")
	args := []string{"generate", "-base", "none", "-sdk", sdk, "-out", out}
	status, said, errOut := gen(args...)
	require.Zero(t, status, errOut)
	assert.NotContains(t, said, "is removed")
	require.NoError(t, os.Remove(filepath.Join(sdk, "doca_dma.h")))
	status, said, errOut = gen(args...)
	assert.Zero(t, status, errOut)
	assert.Contains(t, said, "note: package "+filepath.Join(out, "dma")+" is removed: DOCA 3.0.0058 has no such library among those that were asked for; user import it and will not build: ")
	assert.NoFileExists(t, filepath.Join(out, "dma", "library.go"))
}

// A header without declarations takes away what was made from it, and that is said.
func TestEmptyHeaders(t *testing.T) {
	t.Parallel()
	sdk, out := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	args := []string{"generate", "-base", "none", "-sdk", sdk, "-out", out, "-pkg", "x"}
	status, said, errOut := gen(args...)
	require.Zero(t, status, errOut)
	assert.NotContains(t, said, "nothing")
	assert.NotContains(t, said, "empty")
	require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_argp.h"), []byte("#ifndef DOCA_ARGP_H_\n#define DOCA_ARGP_H_\n#endif\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_graph.h"), nil, 0o644))
	status, said, errOut = gen(args...)
	require.Zero(t, status, errOut)
	assert.Contains(t, said, "argp: bound 0, skipped 0\n")
	assert.Contains(t, said, "note: library argp: doca_argp.h declares nothing, so there is nothing to bind\n")
	assert.Contains(t, said, "note: doca_graph.h is an empty file\n")
	assert.NotContains(t, tree(t, out), "common/graph.go")
}

func TestImportPathIsChecked(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"a b", "x\"y", "./x", "/x", "x//y", "x/", "-x", "x/../y"} {
		t.Run(pkg, func(t *testing.T) {
			out := t.TempDir()
			status, _, errOut := gen("generate", "-base", "none", "-sdk", reference, "-out", out, "-pkg", pkg)
			assert.Equal(t, 1, status, pkg)
			assert.Contains(t, errOut, "gen generate: -pkg: malformed import path ", pkg)
			assert.Empty(t, tree(t, out), pkg)
		})
	}
}

// A ledger that would not be written back under its name is not taken away.
func TestMisnamedLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "api"), os.DirFS("../generated/api")))
	require.NoError(t, os.Rename(filepath.Join(dir, "api", "2.5.txt"), filepath.Join(dir, "api", "2.4.txt")))
	before := tree(t, dir)
	status, _, errOut := gen("generate", "-base", "none", "-sdk", reference, "-out", dir, "-pkg", "x")
	assert.Equal(t, 1, status)
	assert.Regexp(t, `^gen generate: \S+/api/2\.4\.txt is the ledger of DOCA 2\.5\.\d+, which belongs in 2\.5\.txt: rename it, or take it away\n$`, errOut)
	assert.Equal(t, before, tree(t, dir))
}

// What the emulator has implemented is no stub, and what it has not is one.
func TestEmulatorStubsAreUpToDate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "emulator")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../emulator")))
	status, _, errOut := gen("generate", "-base", "none", "-sdk", newest, "-out", t.TempDir(), "-pkg", "x", "-emulator", dir)
	require.Zero(t, status, errOut)
	want, have := tree(t, "../emulator"), tree(t, dir)
	for name := range want {
		assert.Contains(t, have, name, "is committed but no longer generated")
	}
	for name, text := range have {
		assert.True(t, text == want[name], "emulator/%s differs from what its sources give: run go generate ./...", name)
	}
	// Take one implementation away: it becomes a stub.
	source := filepath.Join(dir, "core", "doca_version.c")
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	require.Contains(t, string(text), "doca_version_runtime(")
	require.NoError(t, os.Remove(source))
	status, _, errOut = gen("generate", "-base", "none", "-sdk", newest, "-out", t.TempDir(), "-pkg", "x", "-emulator", dir)
	require.Zero(t, status, errOut)
	have = tree(t, dir)
	assert.Contains(t, have["coverage.txt"], "doca_version.h | doca_version_runtime | stub")
	assert.Contains(t, have["core/stubs.c"], "doca_version_runtime(void)")
}

func TestOutputDoesNotDependOnTheRun(t *testing.T) {
	t.Parallel()
	first := t.TempDir()
	status, _, errOut := gen("generate", "-base", "none", "-sdk", reference, "-out", first, "-pkg", "x")
	require.Zero(t, status, errOut)
	for range 3 {
		again := t.TempDir()
		status, _, errOut = gen("generate", "-base", "none", "-sdk", reference, "-out", again, "-pkg", "x")
		require.Zero(t, status, errOut)
		require.Equal(t, tree(t, first), tree(t, again))
	}
}

// The output of any release compiles and vets, in a module of its own.
func TestReleases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sdk, version string
		has          []string
	}{
		{"testdata/2.2", "2.2", []string{
			"func WorkqSubmit(workq *Workq, job *Job) (err error)",
			"type JobMemcpy | struct doca_dma_job_memcpy { struct doca_job base; struct doca_buf *dst_buff; const struct doca_buf *src_buff; } size 40",
			"const JobMemcpyValue JobTypes",
		}},
		{"testdata/2.5", "2.5", []string{"func TaskMemcpyAllocInit(dma *DMA, src *common.Buf, dst *common.Buf, userData abi.Data) (task *TaskMemcpy, err error)"}},
		{reference, "3.0", []string{"func BufInventoryBufGetByAddr("}},
	} {
		t.Run(c.version, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "bindings")
			status, out, errOut := gen("generate", "-base", "none", "-sdk", c.sdk, "-out", dir)
			require.Zero(t, status, errOut)
			assert.Regexp(t, `common: bound \d+, skipped \d+`, out)
			ledger, err := os.ReadFile(filepath.Join(dir, "api", c.version+".txt"))
			require.NoError(t, err)
			for _, line := range c.has {
				assert.Contains(t, string(ledger), line)
			}
			errs, err := os.ReadFile(filepath.Join(dir, "abi", "error.go"))
			require.NoError(t, err)
			assert.NotContains(t, string(errs), "go-doca/emulator", "it is a provider of this project's bindings alone")
			if c.sdk == reference {
				return // committed, and vetted there
			}
			vet := exec.Command("go", "vet", "./...")
			vet.Dir = dir
			vet.Env = append(os.Environ(), "CGO_CFLAGS=-Wall -Werror")
			text, err := vet.CombinedOutput()
			assert.NoError(t, err, string(text))
		})
	}
}

// Bound and skipped declarations add up to what the headers declare.
func TestNothingIsDropped(t *testing.T) {
	t.Parallel()
	for _, sdk := range []string{"testdata/2.2", "testdata/2.5", reference, newest} {
		t.Run(filepath.Base(sdk), func(t *testing.T) {
			m, err := (&source{sdk: sdk}).read()
			require.NoError(t, err)
			api := m.API
			declared, known := 0, map[string]bool{}
			for _, h := range api.Headers {
				named := 0
				for _, e := range h.Enums {
					if e.Name != "" || e.Typedef != "" {
						named++
					} else {
						named += len(e.Consts)
					}
				}
				declared += len(h.Funcs) + named + len(h.Records) + len(h.Typedefs) + len(h.Macros) + len(h.FuncMacros) + len(h.Problems)
			}
			total := 0
			for _, l := range m.Libraries {
				total += l.Declared
				assert.Equal(t, l.Declared, l.Bound+len(l.Skipped), l.Name)
				for _, f := range l.Funcs {
					known[f.CName] = true
				}
				for _, f := range l.DeviceFuncs {
					known[f.CName] = true
				}
				for _, s := range l.Skipped {
					known[s.Name] = true
					assert.NotEmpty(t, s.Reason)
				}
			}
			assert.Equal(t, declared, total, sdk)
			for _, h := range api.Headers {
				for _, f := range h.Funcs {
					assert.Contains(t, known, f.Name)
				}
			}
		})
	}
}

func TestBadHeaderLeavesTheOutputAlone(t *testing.T) {
	t.Parallel()
	sdk := t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	out := filepath.Join(t.TempDir(), "out")
	status, _, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-out", out)
	require.Zero(t, status, errOut)
	before := tree(t, out)
	for name, c := range map[string]struct{ old, new, want string }{
		"missing semicolon": {"doca_error_t doca_dma_destroy(struct doca_dma *dma);", "doca_error_t doca_dma_destroy(struct doca_dma *dma)", "doca_dma.h:"},
		"unknown type":      {"doca_error_t doca_dma_destroy(struct doca_dma *dma);", "no_such_t doca_dma_destroy(struct doca_dma *dma);", "doca_dma.h:"},
		"no end":            {"#endif", "", "doca_dma.h:"},
	} {
		t.Run(name, func(t *testing.T) {
			header := filepath.Join(sdk, "doca_dma.h")
			good, err := os.ReadFile(header)
			require.NoError(t, err)
			require.Contains(t, string(good), c.old)
			require.NoError(t, os.WriteFile(header, []byte(strings.ReplaceAll(string(good), c.old, c.new)), 0o644))
			defer os.WriteFile(header, good, 0o644)
			status, _, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-out", out)
			assert.Equal(t, 1, status)
			assert.Regexp(t, `doca_dma\.h:\d+: `, errOut)
			assert.Equal(t, before, tree(t, out))
		})
	}
}

func TestGenerateRemovesWhatIsNoLongerGenerated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	status, _, errOut := gen("generate", "-base", "none", "-sdk", reference, "-out", dir)
	require.Zero(t, status, errOut)
	mine := filepath.Join(dir, "dma", "mine.go")
	require.NoError(t, os.WriteFile(mine, []byte("package dma\n"), 0o644))
	status, _, errOut = gen("generate", "-base", "none", "-sdk", reference, "-out", dir, "-libs", "dma")
	require.Zero(t, status, errOut)
	assert.NoFileExists(t, filepath.Join(dir, "argp", "argp.go"))
	assert.FileExists(t, filepath.Join(dir, "dma", "dma.go"))
	assert.FileExists(t, mine)
}

func TestList(t *testing.T) {
	t.Parallel()
	status, out, errOut := gen("list", "-sdk", reference)
	require.Zero(t, status, errOut)
	for _, line := range []string{
		`object +doca_pe +PE +create destroy`,
		`object +doca_mmap +Mmap +create destroy start stop`,
		`task +doca_dma_task_memcpy +TaskMemcpy +Src Dst`,
		`callback +doca_dma_task_memcpy_set_conf\(task_error_cb\) +KindTaskMemcpyError`,
		`capability +doca_dma_cap_task_memcpy_is_supported +Capabilities.TaskMemcpySupported +bool`,
		`capability +doca_dma_cap_get_max_num_tasks +InstanceCapabilities.MaxNumTasks +uint32`,
		`skipped +DOCA_LOG_ERR +macro`,
	} {
		t.Run(line, func(t *testing.T) {
			assert.Regexp(t, line, out)
		})
	}
	status, out, errOut = gen("list", "-sdk", reference, "-json")
	require.Zero(t, status, errOut)
	var m struct {
		Version   struct{ Major, Minor int }
		Libraries []struct {
			Name      string
			Functions []struct{ C, Go string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &m))
	assert.Equal(t, 3, m.Version.Major)
	require.Len(t, m.Libraries, len(ours))
	assert.Equal(t, "dma", m.Libraries[2].Name)
	assert.Len(t, m.Libraries[2].Functions, 15)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "usage:"},
		{[]string{"make"}, 2, `no command "make"`},
		{[]string{"--help"}, 0, "gen check "},
		{[]string{"list", "-nope"}, 2, "flag provided but not defined"},
		{[]string{"list", "extra"}, 2, `unexpected argument "extra"`},
		{[]string{"list", "-h"}, 0, "-sdk directory"},
		{[]string{"list", "-sdk", "/nowhere"}, 1, "/nowhere"},
		{[]string{"list", "-sdk", "testdata"}, 1, "no DOCA headers"},
		{[]string{"list", "-sdk", reference, "-libs", "flux"}, 1, `library "flux" is not in this SDK, which has common, `},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			status, out, errOut := gen(c.args...)
			assert.Equal(t, c.status, status, c.args)
			assert.Contains(t, out+errOut, c.want, c.args)
		})
	}
}

// Callbacks that C gives no user data have that of their context in the record, from before a
// payload that finds no room takes the record back.
func TestEventsFindTheirContext(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../generated/comch/shim.c")
	require.NoError(t, err)
	events := regexp.MustCompile(`(?s)static void godoca_on_comch_(server|client)_event_\w+\(.*?\n}\n`).FindAllString(string(text), -1)
	require.Len(t, events, 8)
	for _, e := range events {
		_, after, found := strings.Cut(e, "r->ctx = godoca_ctx_by_comch_")
		assert.True(t, found, e)
		if strings.Contains(e, "payload") {
			assert.Contains(t, after, "payload")
		}
	}
}

// A task that nothing can aim at another operation is allocated and submitted in one call, and
// freed by its callbacks; what it sends has a type that cgo need not search for pointers.
func TestTasksForOneOperation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../generated/comch/shim.c")
	require.NoError(t, err)
	for _, side := range []string{"server", "client"} {
		t.Run(side, func(t *testing.T) {
			for _, end := range []string{"completion", "error"} {
				name := "godoca_on_comch_" + side + "_task_send_" + end
				assert.Regexp(t, `static void `+name+`_once\([^)]*\)\n{\n\t`+name+`\(arg0, arg1, arg2\);\n\t.*doca_task_free\(`, string(text))
			}
			submit := regexp.MustCompile(`(?s)godoca_comch_` + side + `_task_send_submit\(.*?\n}\n`).FindString(string(text))
			var calls []string
			for _, c := range regexp.MustCompile(`godoca_sym\.(\w+)\(`).FindAllStringSubmatch(submit, -1) {
				calls = append(calls, c[1])
			}
			assert.Equal(t, []string{"doca_comch_" + side + "_task_send_alloc_init", "doca_comch_task_send_as_task",
				"doca_task_set_user_data", "doca_task_submit", "doca_task_free"}, calls)
			assert.Contains(t, submit, "const uint8_t *msg")
		})
	}
	wrappers, err := os.ReadFile("../generated/comch/comch.go")
	require.NoError(t, err)
	assert.Contains(t, string(wrappers), "func ServerTaskSendSubmit(comchServer *Server, peer *Connection, msg []byte, taskUserData abi.Data) (err error)")
	assert.Contains(t, string(wrappers), "#cgo nocallback godoca_comch_client_task_send_submit")
	dma, err := os.ReadFile("../generated/dma/dma.go")
	require.NoError(t, err)
	assert.NotContains(t, string(dma), "Once(") // its tasks can be aimed
}

// A task whose name speaks of events is a task: its failure has a status.
func TestTasksOnEventsAreTasks(t *testing.T) {
	t.Parallel()
	for file, callback := range map[string]string{
		"syncevent/shim.c": "godoca_on_sync_event_task_get_error",
		"rdma/shim.c":      "godoca_on_rdma_task_remote_net_sync_event_get_error_task_completion",
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile("../generated/" + file)
			require.NoError(t, err)
			body := regexp.MustCompile(`(?s)static void ` + callback + `\(.*?\n}\n`).FindString(string(text))
			assert.Contains(t, body, "r->object = (void *)arg0;")
			assert.Contains(t, body, "r->status = godoca_sym.doca_task_get_status(")
		})
	}
}
