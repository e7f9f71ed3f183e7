package core

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
)

// Object describes an open object, as doca.Object does.
type Object struct {
	Name  string // such as "memory#3 (4096 bytes)"
	Site  string // file:line and function of the program that created it
	Stack string // where it was created, one frame a line; of a place where others were before, the inner frames alone
}

var leakReporter atomic.Pointer[func(Object)]

// SetLeakReporter sets the function that receives each leak. nil restores the default,
// which writes one line to stderr.
func SetLeakReporter(report func(Object)) {
	if report == nil {
		leakReporter.Store(nil)
		return
	}
	leakReporter.Store(&report)
}

// OpenObjects lists the open objects, oldest first.
func OpenObjects() []Object { return objects(func(*Node) bool { return true }) }

// Leaks lists the open objects whose handles are gone.
func Leaks() []Object { return objects(func(n *Node) bool { return n.has(lost) }) }

// ReportOpenObjects passes every open object to the leak reporter and returns their number.
func ReportOpenObjects() int {
	list := OpenObjects()
	if report := leakReporter.Load(); report != nil {
		for _, o := range list {
			(*report)(o)
		}
		return len(list)
	}
	var lines leakLines
	for _, o := range list {
		lines.add(o)
	}
	lines.print("")
	return len(list)
}

func objects(which func(*Node) bool) []Object {
	tree.Lock()
	defer tree.Unlock()
	var nodes []*Node
	allLocked(func(n *Node) {
		if which(n) {
			nodes = append(nodes, n)
		}
	})
	slices.SortFunc(nodes, func(a, b *Node) int { return cmp.Compare(a.id, b.id) })
	var out []Object
	for _, n := range nodes {
		out = append(out, n.object())
	}
	return out
}

// dropped runs when the handle is gone.
func (n *Node) dropped() {
	n.signs.Or(lost)
	switch n.phase.Load() {
	case phaseOpen:
		n.report()
	case phaseClosing: // no leak while Close is under way, but after Close failed
		if n.has(failed) {
			n.report()
		}
	}
}

func (n *Node) report() { reportObject(n.object()) }

func reportObject(o Object) {
	if report := leakReporter.Load(); report != nil {
		(*report)(o)
		return
	}
	laterLeaks.report(o)
}

func (n *Node) object() Object {
	o := Object{Name: n.String(), Site: "unknown place"}
	var b strings.Builder
	var library string // a frame of the standard library, if there is none of a program
	for at := n; at != nil; at = at.origin.Load() {
		if at != n {
			fmt.Fprintf(&b, "for %v, created by\n", at)
		}
		var site siteFinder
		frames := runtime.CallersFrames(at.stack.Load().pcs())
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function != "" {
				fmt.Fprintf(&b, "%s %s:%d\n", f.Function, f.File, f.Line)
				site.look(f)
			}
		}
		library = cmp.Or(site.library, library)
		if site.found != "" {
			o.Site = site.found
			break
		}
	}
	if o.Stack = b.String(); o.Site == "unknown place" && library != "" {
		o.Site = library
	}
	return o
}

// CreatedFor says that objects were created by a binding for another object. If the program that has created them cannot be
// seen in their own stacks, leak reports show that of the other object.
func CreatedFor(origin Owner, objects ...Owner) error {
	from := ownerNode(origin)
	if from == nil {
		return Fail("attribute", "object", abi.ErrorInvalidValue, "the origin is nil or a zero value: make one first")
	}
	for _, o := range objects {
		n := ownerNode(o)
		if n == nil {
			return Fail("attribute", "object", abi.ErrorInvalidValue, "an object is nil or a zero value: make one first")
		}
		n.origin.Store(from)
	}
	return nil
}

// siteFinder finds the frame of the program among those of a creation, innermost first. The frames of a package that has
// called package bind are not the program's either, unless there are no others. Those of the standard library never are.
type siteFinder struct {
	found   string
	library string // the first frame of the standard library
	binding string // the package that has called bind
	inBind  bool   // the frame before is bind's
	done    bool
}

func (s *siteFinder) look(f runtime.Frame) {
	pkg := packageOf(f.Function)
	wasBind := s.inBind
	s.inBind = pkg == ownPath+"/bind"
	if s.done || ownFrame(f) || pkg == "runtime" {
		return
	}
	site := fmt.Sprintf("%s:%d (%s)", filepath.Base(f.File), f.Line, f.Function)
	if inLibrary(libraryDir(), modules, f.File, pkg) {
		s.library = cmp.Or(s.library, site)
		return
	}
	if wasBind {
		s.binding = pkg
	}
	if s.done = pkg != s.binding || strings.HasSuffix(f.File, "_test.go"); s.done || s.found == "" {
		s.found = site
	}
}

// libraryDir is the directory of the standard library's sources; empty in a binary that was built with -trimpath.
func libraryDir() string {
	pc := reflect.ValueOf(strings.Compare).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	dir, _ := strings.CutSuffix(file, "strings/compare.go")
	return dir
}

// inLibrary reports whether a file, which is of package pkg, belongs to the standard library in dir. The modules are those of the
// binary: their paths may have no dot.
func inLibrary(dir string, modules func() []string, file, pkg string) bool {
	if dir != "" {
		return strings.HasPrefix(file, dir)
	}
	first, _, _ := strings.Cut(pkg, "/")
	return pkg != "main" && !strings.Contains(first, ".") && !slices.ContainsFunc(modules(), func(path string) bool {
		rest, ok := strings.CutPrefix(pkg, path)
		return ok && (rest == "" || rest[0] == '/')
	})
}

// modules returns the paths of the modules that the binary was built from.
var modules = sync.OnceValue(func() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	paths := []string{info.Main.Path}
	for _, m := range info.Deps {
		paths = append(paths, m.Path)
	}
	return paths
})

// packageOf returns the path of the package that a function is in.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

const ownPath = "github.com/go-doca/go-doca/doca"

// ownFrame reports whether a frame belongs to doca or a package below it, and not to the
// program.
func ownFrame(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, ownPath)
	return ok && (rest[0] == '.' || rest[0] == '/') && !strings.HasSuffix(f.File, "_test.go")
}
