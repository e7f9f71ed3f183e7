// Command report prints what bench has measured as a table, keeps its history, and puts the table into a page. Run it with make
// bench.
//
//	report build/bench.json                               # prints the table
//	report -history bench/history.jsonl -picture docs/bench.svg build/bench.json
//	report -page docs/performance.md build/bench.json
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-doca/go-doca/bench/result"
)

func main() {
	var r report
	flag.StringVar(&r.history, "history", "", "the `file` with earlier runs, as JSON lines: the run is appended")
	flag.StringVar(&r.picture, "picture", "", "the `file` to draw the run in, with the history, as SVG")
	flag.StringVar(&r.page, "page", "", "the Markdown `file` that gets the tables, between its markers")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: report [flags] RUN.json")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || r.picture != "" && r.history == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := r.make(flag.Arg(0), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// report is what to make of a run; an empty path means nothing.
type report struct{ history, picture, page string }

func (r report) make(path string, out io.Writer) error {
	run, err := read(path)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%s\n%s\n%s\n%s\n", conditions(run), rowsTable(groups(run)).Render(), summary(run), memoryTable(run).Render()); err != nil {
		return err
	}
	if r.page != "" {
		if err := writePage(r.page, run); err != nil {
			return err
		}
	}
	if r.history == "" {
		return nil
	}
	if err := appendHistory(r.history, run); err != nil || r.picture == "" {
		return err
	}
	runs, err := readHistory(r.history)
	if err != nil {
		return err
	}
	return drawRun(r.picture, run, runs)
}

func read(path string) (result.Run, error) {
	var run result.Run
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &run)
	}
	if err == nil && len(run.Rows) == 0 {
		err = errors.New("no row was measured")
	}
	if err != nil {
		return run, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}
