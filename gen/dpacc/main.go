// Command dpacc compiles code for the DPA, for the emulator: for the processor of the host. It has the command line of
// NVIDIA's dpacc, and is installed as tools/dpacc of the emulator's SDK.
//
//	dpacc kernels.c -o libkernels.a -mcpu=nv-dpa-bf3 -hostcc=gcc --app-name=my_app -device-libs="-ldoca_dpa_dev"
//
// The archive has the kernels, as symbols that a program passes to doca_dpa_kernel_launch_update_set, and a variable
// struct doca_dpa_app * with the application's name. Everything else in it is hidden: programs may link several.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-doca/go-doca/gen/internal/device"
	"github.com/go-doca/go-doca/gen/internal/scratch"
)

const usage = `usage: dpacc SOURCE... -o lib<name>.a --app-name=NAME [options]
compiles code for the DPA, which the emulator runs on this machine's processor

  -o FILE                    the archive (.a), or an object (.o)
  --app-name=NAME            the application: a variable struct doca_dpa_app *NAME in the archive
  -mcpu=LIST                 processors, such as nv-dpa-bf3,nv-dpa-cx7: checked, without effect
  -hostcc=PROGRAM            the C compiler (default: $CC, else cc)
  -hostcc-options=FLAGS      for the compiler, when it compiles what the host needs
  --devicecc-options=FLAGS   for the compiler, when it compiles the sources; those for hardware have no effect
  -device-libs=FLAGS         libraries for the device: -L, -l and archives
  --dpa-proc-attr=FILE       a blob of attributes, made by dpa-app-attributes2blob
  -I DIR, -D NAME, -U NAME   as of the C compiler
  -flto, -disable-asm-checks, --devicelink-options=FLAGS   without effect
  -v, --verbose              print the commands
  -h, --help; -V, --version
Options may begin with one dash or two. A value follows = or is the next argument.
`

func main() {
	done := scratch.Dir()
	status := run(os.Args[1:], ownPrefix, os.Stdout, os.Stderr)
	done()
	os.Exit(status)
}

// run returns the exit status: 0 done, 1 failed, 2 called in a wrong way.
func run(args []string, find func() (prefix, error), out, errOut io.Writer) int {
	o, err := parse(args)
	if err != nil {
		fmt.Fprintf(errOut, "dpacc: error: %v\n", err)
		return 2
	}
	switch {
	case o.help:
		fmt.Fprint(out, usage)
		return 0
	case o.version:
		fmt.Fprintln(out, "dpacc 1.6.0 (DOCA emulator)")
		return 0
	}
	var placed *device.Error
	b, err := newBuild(o, find, errOut)
	if err == nil {
		err = b.run()
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, device.ErrCompile): // which has said what is wrong
	case errors.As(err, &placed):
		fmt.Fprintln(errOut, placed)
	default:
		fmt.Fprintf(errOut, "dpacc: error: %v\n", err)
	}
	return 1
}
