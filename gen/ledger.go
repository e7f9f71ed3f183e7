package main

import (
	"flag"
	"io"
)

// printLedger prints the API of an SDK as a ledger, to be kept in generated/api beside those of other
// versions.
func printLedger(fs *flag.FlagSet, args []string, out io.Writer) error {
	var src source
	src.flags(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	m, err := src.read()
	if err != nil {
		return err
	}
	_, err = out.Write(m.Ledger().Text())
	return err
}
