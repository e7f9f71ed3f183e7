package main

import (
	"encoding/json"
	"flag"
	"io"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// list prints the model.
func list(fs *flag.FlagSet, args []string, out io.Writer) error {
	var src source
	src.flags(fs)
	asJSON := fs.Bool("json", false, "print the whole model as JSON")
	if err := parse(fs, args); err != nil {
		return err
	}
	m, err := src.read()
	if err != nil {
		return err
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(m)
	}
	return model.Print(out, m)
}
