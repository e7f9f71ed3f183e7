// Command gen makes the Go bindings from the headers of a DOCA SDK.
//
//	gen generate [-sdk DIR] [-out DIR]   write the bindings
//	gen list [-sdk DIR] [-json]          print the API as the generator understands it
//	gen ledger [-sdk DIR]                print the API as a ledger
//	gen diff OLD NEW                     compare two versions of the API
//	gen dpa -header FILE -out DIR        write Go functions that start a program's DPA kernels
//	gen check -sdk DIR                   compare bindings with an installed SDK
//
// DIR is an SDK's prefix (/opt/mellanox/doca) or a directory with its headers. Without
// -sdk it is $DOCA_SDK_DIR, else this project's own reference headers, which check does not take for an installed SDK.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"github.com/go-doca/go-doca/gen/internal/scratch"
)

//go:generate go run . generate -sdk ../headers/3.2 -out ../generated -emulator ../emulator

type command struct {
	name, args, help string
	run              func(c *flag.FlagSet, args []string, out io.Writer) error
}

var commands = []command{
	{"generate", "[-sdk DIR] [-out DIR] [-libs LIST] [-pkg PATH]", "write the bindings", generate},
	{"list", "[-sdk DIR] [-libs LIST] [-json]", "print the API as the generator understands it", list},
	{"ledger", "[-sdk DIR] [-libs LIST]", "print the API as a ledger, one line for each symbol", printLedger},
	{"diff", "[-format FORM] [-o FILE] OLD NEW", "compare two versions of the API", diff},
	{"dpa", "-header FILE -out DIR [-archive FILE] [-app NAME] [-I DIR]", "write Go functions that start a program's kernels", kernels},
	{"check", "-sdk DIR [-ledger FILE|-bindings DIR] [-json] [-v]", "compare bindings with an installed SDK", checkSDK},
}

// gcPercent makes the garbage collector run seldom: a run is short, and needs little memory.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	done := scratch.Dir()
	status := run(os.Args[1:], os.Stdout, os.Stderr)
	done()
	os.Exit(status)
}

// run returns the exit status: 0 done, 1 failed, 2 called in a wrong way. A command's own goes before.
func run(args []string, out, errOut io.Writer) int {
	for _, c := range commands {
		if len(args) == 0 || c.name != args[0] {
			continue
		}
		fs := flag.NewFlagSet("gen "+c.name, flag.ContinueOnError)
		fs.SetOutput(errOut)
		var status exitStatus
		switch err := c.run(fs, args[1:], out); {
		case errors.As(err, &status):
			if status.err != nil {
				fmt.Fprintf(errOut, "gen %s: %v\n", c.name, status.err)
			}
			return status.code
		case err == nil, errors.Is(err, flag.ErrHelp):
			return 0
		case errors.Is(err, errUsage):
			return 2
		default:
			fmt.Fprintf(errOut, "gen %s: %v\n", c.name, err)
			return 1
		}
	}
	if len(args) > 0 && slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		usage(out)
		return 0
	}
	if len(args) > 0 {
		fmt.Fprintf(errOut, "gen: there is no command %q\n", args[0])
	}
	usage(errOut)
	return 2
}

func usage(out io.Writer) {
	fmt.Fprintln(out, "usage:")
	for _, c := range commands {
		fmt.Fprintf(out, "  gen %-9s %-57s  %s\n", c.name, c.args, c.help)
	}
	fmt.Fprintln(out, "gen COMMAND -h lists the flags of a command.")
}

// errUsage is a wrong call; what is wrong has been said.
var errUsage = errors.New("usage")

// wrongCall says what is wrong with a call.
func wrongCall(fs *flag.FlagSet, what string) error {
	fmt.Fprintf(fs.Output(), "%s: %s\n", fs.Name(), what)
	return errUsage
}

func parse(fs *flag.FlagSet, args []string) error {
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if fs.NArg() > 0 {
		defer fs.Usage()
		return wrongCall(fs, fmt.Sprintf("unexpected argument %q", fs.Arg(0)))
	}
	return nil
}
