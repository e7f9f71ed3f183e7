package device

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Flattener makes sources that need no headers but the C library's.
type Flattener struct {
	Dirs []string // of the program's headers
	// SDK are DOCA's headers, which lie at its top.
	SDK fs.FS
	// Name is how #line names a file of the program; the default is its path.
	Name func(path string) string
}

// header is a file that includes may mean.
type header struct {
	id, name string // name is for #line
	dir      string // empty: of the SDK
	text     string
}

// flat is one source in the making.
type flat struct {
	*Flattener
	out  strings.Builder
	done map[string]bool // headers that need not come again, for they have come under no condition
	once map[string]string
	open []string // files that are being read
}

// Flatten returns a source with the text of headers in place of their includes, and without comments. What it does not find
// it leaves: the C library's headers, or mistakes that the compiler reports.
func (f *Flattener) Flatten(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	w := &flat{Flattener: f, done: map[string]bool{}, once: map[string]string{}}
	err = w.file(&header{id: file, name: w.lineName(file), dir: filepath.Dir(file), text: string(text)}, 0)
	return w.out.String(), err
}

func (f *Flattener) lineName(file string) string {
	if f.Name != nil {
		return f.Name(file)
	}
	return file
}

var (
	includeLine = regexp.MustCompile(`^\s*#\s*include\s*(["<])([^">]+)[">]`)
	directive   = regexp.MustCompile(`^\s*#\s*(\w+)\s*(.*)`)
)

// file writes a file. Depth is the number of conditions around it.
func (w *flat) file(h *header, depth int) error {
	const deepest = 200
	if len(w.open) > deepest {
		return &Error{Pos{h.name, 1}, "#include nested too deeply"}
	}
	w.open = append(w.open, h.id)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	lines := strings.Split(strings.TrimSuffix(withoutComments(h.text), "\n"), "\n")
	if guarded(lines) {
		depth--
	}
	own := 0
	fmt.Fprintf(&w.out, "#line 1 %q\n", h.name)
	blank := false
	for i, line := range lines {
		if m := directive.FindStringSubmatch(line); m != nil {
			switch m[1] {
			case "if", "ifdef", "ifndef":
				own++
			case "endif":
				own--
			case "pragma":
				if strings.TrimSpace(m[2]) == "once" {
					w.out.WriteString("\n")
					continue // include has seen to it
				}
			}
		}
		if m := includeLine.FindStringSubmatch(line); m != nil {
			if found := w.find(m[2], m[1] == `"`, h); found != nil {
				if err := w.include(found, depth+own); err != nil {
					return err
				}
				fmt.Fprintf(&w.out, "#line %d %q\n", i+2, h.name)
				continue
			}
		}
		line = strings.TrimRight(line, " \t\r")
		if h.dir == "" && line == "" && blank {
			continue // the lines of the SDK's headers need no numbers
		}
		blank = line == ""
		w.out.WriteString(line + "\n")
	}
	return nil
}

// include writes a header, unless it was there already.
func (w *flat) include(h *header, depth int) error {
	lines := strings.Split(withoutComments(h.text), "\n")
	pragma := hasOnce(lines)
	if w.done[h.id] {
		return nil
	}
	if depth == 0 && (pragma || guarded(lines)) {
		w.done[h.id] = true
	}
	if !pragma {
		return w.file(h, depth)
	}
	if w.once[h.id] == "" {
		w.once[h.id] = fmt.Sprintf("GODOCA_ONCE_%d", len(w.once)+1)
	}
	fmt.Fprintf(&w.out, "#ifndef %s\n#define %s\n", w.once[h.id], w.once[h.id])
	err := w.file(h, depth)
	w.out.WriteString("#endif\n")
	return err
}

// find looks a header up as the C compiler does.
func (w *flat) find(name string, quoted bool, from *header) *header {
	dirs := w.Dirs
	if quoted && from.dir != "" {
		dirs = append([]string{from.dir}, dirs...)
	}
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		if text, err := os.ReadFile(file); err == nil {
			return &header{id: file, name: w.lineName(file), dir: filepath.Dir(file), text: string(text)}
		}
	}
	if w.SDK == nil {
		return nil
	}
	if text, err := fs.ReadFile(w.SDK, path.Clean(name)); err == nil {
		return &header{id: "sdk:" + name, name: name, text: string(text)}
	}
	return nil
}

// guarded tells whether a file has a guard around all of it.
func guarded(lines []string) bool {
	var all [][]string
	for _, line := range lines {
		if m := directive.FindStringSubmatch(line); m != nil {
			all = append(all, m)
		} else if strings.TrimSpace(line) != "" && len(all) < 2 {
			return false
		}
	}
	if len(all) < 3 || all[0][1] != "ifndef" || all[1][1] != "define" || all[len(all)-1][1] != "endif" {
		return false
	}
	name := strings.Fields(all[0][2] + " ")
	defined := strings.Fields(all[1][2] + " ")
	if len(name) != 1 || len(defined) == 0 || name[0] != defined[0] {
		return false
	}
	depth := 0
	for i, m := range all {
		switch m[1] {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
		}
		if depth == 0 && i < len(all)-1 {
			return false
		}
	}
	return true
}

func hasOnce(lines []string) bool {
	for _, line := range lines {
		if m := directive.FindStringSubmatch(line); m != nil && m[1] == "pragma" && strings.TrimSpace(m[2]) == "once" {
			return true
		}
	}
	return false
}

// withoutComments keeps the lines of a text, and its literals.
func withoutComments(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return comment.ReplaceAllStringFunc(text, func(s string) string {
		if !strings.HasPrefix(s, "/") {
			return s
		}
		if n := strings.Count(s, "\n"); n > 0 {
			return strings.Repeat("\n", n)
		}
		return " "
	})
}

// comment matches literals as well, for they may have what looks like comments.
var comment = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/\*(?s:.*?)\*/|//(?:[^\\\n]|\\.|\\\n)*`)

// Headers are several directories as one.
type Headers struct {
	FS   fs.FS
	Dirs []string
}

// Open opens the first file of that name.
func (h Headers) Open(name string) (fs.File, error) {
	for _, dir := range h.Dirs {
		if file, err := h.FS.Open(path.Join(dir, name)); err == nil {
			return file, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
