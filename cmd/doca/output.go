// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/yaml"
)

// format is the form of a command's data: table, json or yaml.
type format string

// String is the flag's value.
func (f *format) String() string { return string(*f) }

// Set reads the flag's value.
func (f *format) Set(text string) error {
	switch text {
	case "table", "json", "yaml":
		*f = format(text)
		return nil
	}
	return fmt.Errorf("want table, json or yaml")
}

// Type is what the help calls the value.
func (f *format) Type() string { return "format" }

// outputFlag adds -o to a command that has data.
func outputFlag(cmd *cobra.Command) *format {
	f := format("table")
	cmd.Flags().VarP(&f, "output", "o", "table, json or yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	return &f
}

// print writes data in the format. The JSON and YAML forms have the fields of data's json tags; table writes the table.
func (f format) print(w io.Writer, data any, table func(io.Writer)) error {
	switch f {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(data)
	case "yaml":
		out, err := yaml.Marshal(data)
		if err != nil {
			return err
		}
		_, err = w.Write(out)
		return err
	}
	table(w)
	return nil
}

// newTable returns a table without lines, as kubectl and gh print them.
func newTable(w io.Writer, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault // the names of devices stay as they are
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(table.Row(header))
	return t
}

// output is where the data of a command goes. It keeps the first failure, such as that of a full disk.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// isTerminal tells whether a person reads along, so that colors help.
func isTerminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == ""
}
