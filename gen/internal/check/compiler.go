package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// compiler is the C compiler of the machine and the headers that it is to see.
type compiler struct {
	command  []string // $CC may hold options
	clang    bool
	version  string // the first line of --version
	include  string
	standIns string // a copy of the stand-ins, searched last
	dir      string // for files of a run
}

// findCompiler returns $CC, cc, gcc or clang, whichever is there first.
func findCompiler(ctx context.Context, include, dir string) (*compiler, error) {
	c := &compiler{include: include, dir: dir, standIns: filepath.Join(dir, "standin")}
	candidates := []string{"cc", "gcc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		candidates = []string{cc}
	}
	for _, name := range candidates {
		words := strings.Fields(name)
		if _, err := exec.LookPath(words[0]); err == nil {
			c.command = words
			break
		}
	}
	if c.command == nil {
		return nil, fmt.Errorf("no C compiler: none of %s is installed; set CC to use another", strings.Join(candidates, ", "))
	}
	out, err := exec.CommandContext(ctx, c.command[0], "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", c.command[0], err)
	}
	c.version, _, _ = strings.Cut(string(out), "\n")
	c.clang = bytes.Contains(out, []byte("clang"))
	files, err := cparse.StandIns()
	if err != nil {
		return nil, err
	}
	return c, os.CopyFS(c.standIns, files)
}

// diagnostic is a message of the compiler.
type diagnostic struct {
	file  string
	line  int
	level string // "error", "fatal error", "warning", "note"
	text  string
}

var message = regexp.MustCompile(`^(.+?):(\d+):(?:\d+:)? (fatal error|error|warning|note): (.*)$`)

// result is one run of the compiler.
type result struct {
	failed   bool
	messages []diagnostic
	object   string   // the path of what was compiled
	standIns []string // that were included
}

const sourceName = "probes.c"

// compile compiles a source. That it has errors is a result; an error is that there was no run.
func (c *compiler) compile(ctx context.Context, source string, flags ...string) (*result, error) {
	path := filepath.Join(c.dir, sourceName)
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		return nil, err
	}
	r := &result{object: filepath.Join(c.dir, "probes.o")}
	depends := filepath.Join(c.dir, "probes.d")
	args := append([]string(nil), c.command[1:]...)
	args = append(args, "-std=gnu11", "-c", "-O0", "-fno-lto", "-fdiagnostics-color=never",
		"-DDOCA_ALLOW_EXPERIMENTAL_API", "-D__dpa_global__=", "-D__dpa_rpc__=",
		"-I", c.include, "-idirafter", c.standIns, "-MD", "-MF", depends, "-o", r.object)
	if c.clang {
		args = append(args, "-ferror-limit=0", "-fno-caret-diagnostics")
	} else {
		args = append(args, "-ftrack-macro-expansion=0", "-fno-diagnostics-show-caret")
	}
	cmd := exec.CommandContext(ctx, c.command[0], append(append(args, flags...), sourceName)...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w", c.command[0], err)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", c.command[0], ctx.Err())
	}
	r.failed = err != nil
	for _, line := range strings.Split(string(out), "\n") {
		if m := message.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			r.messages = append(r.messages, diagnostic{m[1], n, m[3], m[4]})
		}
	}
	if r.failed && len(r.errors()) == 0 {
		return nil, fmt.Errorf("%s failed: %s", strings.Join(cmd.Args, " "), bytes.TrimSpace(out))
	}
	r.standIns, err = c.used(depends)
	return r, err
}

func (r *result) errors() (all []diagnostic) {
	for _, m := range r.messages {
		if strings.HasSuffix(m.level, "error") {
			all = append(all, m)
		}
	}
	return all
}

// used reads from a list of dependencies which stand-ins were included.
func (c *compiler) used(depends string) (names []string, err error) {
	text, err := os.ReadFile(depends)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // nothing was compiled
	}
	for _, f := range strings.Fields(string(text)) {
		if rel, err := filepath.Rel(c.standIns, f); err == nil && filepath.IsLocal(rel) {
			names = append(names, rel)
		}
	}
	return names, err
}
