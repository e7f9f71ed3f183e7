// Command dpa-app-attributes2blob makes a blob of the attributes of an application for the DPA, for dpacc
// --dpa-proc-attr. It is installed as a tool of the emulator's SDK.
//
//	dpa-app-attributes2blob attributes.yaml attributes.blob
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/attributes"
)

const usage = "usage: dpa-app-attributes2blob FILE.yaml BLOB\nmakes a blob of the attributes of an application, for dpacc --dpa-proc-attr\n"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 0 done, 1 failed, 2 called in a wrong way.
func run(args []string, out, errOut io.Writer) int {
	if slices.Contains(args, "-h") || slices.Contains(args, "--help") {
		fmt.Fprint(out, usage)
		return 0
	}
	if len(args) != 2 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[1], "-") {
		fmt.Fprint(errOut, usage)
		return 2
	}
	if err := attributes.Convert(args[0], args[1]); err != nil {
		fmt.Fprintf(errOut, "dpa-app-attributes2blob: error: %v\n", err)
		return 1
	}
	return 0
}
