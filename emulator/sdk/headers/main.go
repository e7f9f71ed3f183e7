// Command headers writes the headers that the emulator's SDK installs: those of the newest release that the reference headers
// know, and what the SDK alone adds.
//
//	headers REFERENCE TO [MORE]
package main

import (
	"fmt"
	"os"

	"github.com/go-doca/go-doca/internal/release"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: headers REFERENCE TO [MORE]")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "headers:", err)
		os.Exit(1)
	}
}

func write(reference, to string, more []string) error {
	newest, err := release.Newest(reference)
	if err != nil {
		return err
	}
	set, ok, err := release.At(newest)
	if err != nil {
		return err
	}
	if !ok {
		set = release.Set{Base: newest}
	}
	return set.Write(to, more...)
}
