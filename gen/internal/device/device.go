// Package device reads the code of a program for the DPA: which functions the host starts, and with what arguments.
//
// The C compiler does the reading. The marks __dpa_global__ and __dpa_rpc__ are attributes in its preprocessed text
// (marks.go); the types of the parameters are in its debug information (types.go). So whatever the compiler takes is
// understood, and what it refuses it reports by itself, with file and line. From that come the functions with which the
// emulator passes arguments to a kernel, and the description of the application (registry.go).
package device

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Compiler is a C compiler for the host.
type Compiler struct {
	Path     string
	Flags    []string  // of every call
	Messages io.Writer // what the compiler says
	Trace    io.Writer // the commands, where they are wanted
}

// Unit is what one source has.
type Unit struct {
	Kernels []*Kernel
	// Defined are the symbols that other sources can see, Needed those that it takes from elsewhere.
	Defined, Needed []string
}

// Kernel is a function that the host starts.
type Kernel struct {
	Name   string
	RPC    bool
	Params []Param
	Pos    Pos
}

// Param is a parameter of a Kernel.
type Param struct {
	C      string // its type
	Passed string // the type in which variadic calls pass it
	Size   int64
	Int    bool
}

// Thread tells whether it can be the function of a DPA thread: its one parameter is an integer of 64 bits.
func (k *Kernel) Thread() bool {
	return !k.RPC && len(k.Params) == 1 && k.Params[0].Int && k.Params[0].Size == 8
}

// Error is what is wrong with the kernel.
func (k *Kernel) Error(format string, args ...any) error { return k.Pos.errorf(format, args...) }

// ErrCompile is the failure of a compiler, which has said what is wrong.
var ErrCompile = errors.New("the C compiler failed")

// Read reads a source. The compiler's warnings and errors are those of the source itself.
func (c *Compiler) Read(source string) (*Unit, error) {
	tmp, err := os.MkdirTemp("", "dpa-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	object := filepath.Join(tmp, "source.o")
	// First as it is: that is what the messages are about.
	if err := c.Run(slices.Concat(Unmarked, []string{"-g", "-gno-split-dwarf", "-c", "-o", object, source})...); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	quiet := *c
	quiet.Messages = io.Discard
	if err := quiet.run(&text, slices.Concat(asAttributes, []string{"-w", "-E", source})...); err != nil {
		return nil, err
	}
	found, err := marks(text.String())
	if err != nil {
		return nil, err
	}
	file, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	u := &Unit{}
	if err := u.symbols(file); err != nil {
		return nil, err
	}
	return u, u.kernels(file, found)
}

// Unmarked are the flags with which a compiler for the host takes a source: the compiler for the DPA has the marks built in.
var Unmarked = []string{"-D__dpa_global__=", "-D__dpa_rpc__="}

var asAttributes = []string{"-D__dpa_global__=__attribute__((" + globalMark + "))", "-D__dpa_rpc__=__attribute__((" + rpcMark + "))"}

// Run runs the compiler.
func (c *Compiler) Run(args ...string) error { return c.run(io.Discard, args...) }

func (c *Compiler) run(out io.Writer, args ...string) error {
	return command(c.Path, slices.Concat(c.Flags, args), out, c.Messages, c.Trace)
}

// command runs a program. What it writes to its error output goes to messages.
func command(name string, args []string, out, messages, trace io.Writer) error {
	if trace != nil {
		fmt.Fprintln(trace, name, strings.Join(args, " "))
	}
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = out, messages
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %s: %w", ErrCompile, filepath.Base(name), err)
	}
	return err
}

// symbols lists what the object defines for others, and needs of them.
func (u *Unit) symbols(file *elf.File) error {
	all, err := file.Symbols()
	if err != nil {
		return err
	}
	for _, s := range all {
		switch {
		case s.Name == "" || elf.ST_BIND(s.Info) == elf.STB_LOCAL:
		case s.Section == elf.SHN_UNDEF:
			u.Needed = append(u.Needed, s.Name)
		default:
			u.Defined = append(u.Defined, s.Name)
		}
	}
	slices.Sort(u.Needed)
	slices.Sort(u.Defined)
	return nil
}
