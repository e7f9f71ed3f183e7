package apidiff

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// revision reads what is below a path of a git revision of the repository in the current
// directory: a ledger, generated packages, or headers.
func (o *Opener) revision(in *Input, arg string) error {
	rev, sub, ok := strings.Cut(arg, ":")
	if !ok {
		sub = "generated"
	}
	sub = path.Clean(sub)
	if path.IsAbs(sub) || sub == ".." || strings.HasPrefix(sub, "../") {
		return fmt.Errorf("the path behind the colon is one of the repository, from its top")
	}
	if rev == "" || strings.HasPrefix(rev, "-") {
		return errWhat("no such file or directory, and no name of a git revision")
	}
	commit, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return errWhat(fmt.Sprintf("no such file or directory, and no git revision (%v)", err))
	}
	id := strings.TrimSpace(string(commit))
	in.Side.Name = arg
	kind, err := git("cat-file", "-t", id+":"+sub)
	if err != nil {
		return fmt.Errorf("revision %.12s has no %s: name the ledger, the generated packages or the headers behind a colon, as in %s:generated", id, sub, rev)
	}
	if strings.TrimSpace(string(kind)) == "blob" {
		text, err := git("show", id+":"+sub)
		if err != nil {
			return err
		}
		file := filepath.Join(in.dir, path.Base(sub))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		if err = in.file(file); err != nil {
			return err
		}
	} else {
		if err := extract(id, sub, in.dir); err != nil {
			return err
		}
		if err := o.directory(in, filepath.Join(in.dir, filepath.FromSlash(sub))); err != nil {
			return err
		}
		if in.packages != "" {
			if err := extractBeside(id, sub, in.dir); err != nil {
				return err
			}
		}
	}
	in.Side.Source += fmt.Sprintf(", %s in revision %.12s", sub, id)
	return nil
}

func errWhat(why string) error {
	return fmt.Errorf("%s: want an SDK's directory, a ledger (generated/api/3.0.txt), a directory of generated packages, or a git revision (HEAD~1, v1.0.0, REVISION:PATH)", why)
}

// extract writes a directory of a revision below dir, and the go.mod and go.sum that it is under.
func extract(id, sub, dir string) error {
	text, err := git("archive", "--format=tar", id, "--", sub)
	if err != nil {
		return err
	}
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("git archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		file := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("git archive: %w", err)
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	for up := sub; ; up = path.Dir(up) {
		if text, err := git("show", id+":"+path.Join(up, "go.mod")); err == nil {
			root := filepath.Join(dir, filepath.FromSlash(up))
			if sum, err := git("show", id+":"+path.Join(up, "go.sum")); err == nil {
				if err := os.WriteFile(filepath.Join(root, "go.sum"), sum, 0o644); err != nil {
					return err
				}
			}
			return os.WriteFile(filepath.Join(root, "go.mod"), text, 0o644)
		}
		if up == "." {
			return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module revision\n\ngo 1.25\n"), 0o644)
		}
	}
}

// git runs git in the current directory. Paths count from the top of the repository.
func git(args ...string) ([]byte, error) {
	top, err := gitIn("", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	return gitIn(strings.TrimSpace(string(top)), args...)
}

func gitIn(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(errOut.String()); text != "" {
			return nil, fmt.Errorf("git %s: %s", args[0], text)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}
