package cparse

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// compile runs the C compiler on a text, with empty files for the includes
// that are absent, and returns what it says.
func (p *parser) compile(text string, absent []absence, flags ...string) (messages string, err error) {
	const timeout = 10 * time.Second
	dir, err := p.includeDir(absent)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	args := []string{"-x", "c", "-w", "-D__dpa_global__=", "-D__dpa_rpc__=", "-I", p.dir, "-idirafter", dir}
	cmd := exec.CommandContext(ctx, p.cc.CC, slices.Concat(args, flags, []string{"-"})...)
	// Not only the compiler, but what it has started, is to end with the time.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(text)
	out := &limited{}
	cmd.Stderr = out
	err = cmd.Run()
	return out.String(), err
}

// includeDir makes a directory with the stand-ins, and with empty files for
// includes that are absent.
func (p *parser) includeDir(absent []absence) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "gen-cparse-"); err != nil {
		return "", err
	}
	standIns, err := fs.Sub(standIns, "standin/thirdparty")
	if err == nil {
		err = os.CopyFS(dir, standIns)
	}
	for _, a := range absent {
		file := filepath.Join(dir, filepath.Join("/", a.name))
		err = cmp.Or(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644))
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// limited keeps the start of what is written to it.
type limited struct{ strings.Builder }

func (l *limited) Write(b []byte) (int, error) {
	const most = 1 << 20
	l.Builder.Write(b[:min(len(b), max(0, most-l.Len()))])
	return len(b), nil
}

// compilerAccepts reports whether the C compiler takes a unit: then what cc/v4
// refuses in it is a gap in cc/v4, not an error in the header.
func (p *parser) compilerAccepts(u unit, absent []absence) bool {
	_, err := p.compile(u.text(), absent, "-fsyntax-only")
	return err == nil
}

// unknownTypes are the type names that the C compiler misses in a unit, all at once.
func (p *parser) unknownTypes(u unit, absent []absence) (names []string) {
	messages, err := p.compile(u.text(), absent, "-fsyntax-only")
	if err == nil {
		return nil
	}
	for _, m := range unknownType.FindAllStringSubmatch(messages, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

var unknownType = regexp.MustCompile(`error: unknown type name '(\w+)'`)

// takeOutAt takes out the declaration of a header that an error is in.
func (p *parser) takeOutAt(e *ParseError, col int, f *foreign) bool {
	path := filepath.Join(p.dir, e.Pos.File)
	if filepath.Dir(path) != p.dir {
		return false
	}
	s := p.files.loaded(path)
	if s == nil {
		return false
	}
	t := s.without(s.offset(e.Pos.Line, col), Problem{Pos: e.Pos, Text: "not understood: " + f.blame(e.Text)})
	if t == nil {
		return false
	}
	p.files.replace(path, t)
	return true
}
