// SPDX-License-Identifier: Apache-2.0

// Command doca shows what DOCA offers on this machine, checks the installation, measures it, and proves that it follows
// the rules that these bindings rely on. It needs no SDK: where none is installed, it uses the emulator and says so.
//
//	go install github.com/go-doca/go-doca/cmd/doca@latest
//	doca --help
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-doca/go-doca/conformance"
	_ "github.com/go-doca/go-doca/emulator"
)

func main() {
	conformance.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
