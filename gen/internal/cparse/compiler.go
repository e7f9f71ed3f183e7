package cparse

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// compilerAccepts reports whether the C compiler takes a unit: then what cc/v4
// refuses in it is a gap in cc/v4, not an error in the header.
func (p *parser) compilerAccepts(u unit) bool {
	const timeout = 20 * time.Second
	dir, err := os.MkdirTemp("", "gen-cparse-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	standIns, err := fs.Sub(standIns, "standin/thirdparty")
	if err != nil || os.CopyFS(dir, standIns) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.cc.CC, "-x", "c", "-fsyntax-only", "-w",
		"-D__dpa_global__=", "-D__dpa_rpc__=", "-I", p.dir, "-idirafter", dir, "-")
	cmd.Stdin = strings.NewReader(u.text())
	return cmd.Run() == nil
}

// takeOutAt takes out the declaration of a header that an error is in.
func (p *parser) takeOutAt(e *ParseError, col int) bool {
	path := filepath.Join(p.dir, e.Pos.File)
	if filepath.Dir(path) != p.dir {
		return false
	}
	s := p.files.loaded(path)
	if s == nil {
		return false
	}
	t := s.without(s.offset(e.Pos.Line, col), Problem{Pos: e.Pos, Text: "not understood: " + e.Text})
	if t == nil {
		return false
	}
	p.files.replace(path, t)
	return true
}
