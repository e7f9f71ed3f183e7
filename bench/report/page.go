package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-doca/go-doca/bench/result"
)

// A page has markers around what a run replaces.
const (
	marker    = "<!-- make bench DOCS=1 writes the %s from here -->"
	endMarker = "<!-- to here: %s -->"
)

// writePage puts the tables of a run into a Markdown file.
func writePage(path string, run result.Run) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	filled, err := fill(string(page), "table", conditions(run)+"\n\n"+markdown(run)+"\n\n"+summary(run))
	if err == nil {
		filled, err = fill(filled, "memory", memoryTable(run).RenderMarkdown())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(filled), 0o644)
}

// fill replaces what is between the markers of a part.
func fill(page, part, with string) (string, error) {
	begin, end := fmt.Sprintf(marker, part), fmt.Sprintf(endMarker, part)
	before, rest, found := strings.Cut(page, begin)
	if !found {
		return "", fmt.Errorf("no line %q", begin)
	}
	_, after, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("no line %q", end)
	}
	return before + begin + "\n\n" + with + "\n\n" + end + after, nil
}

// markdown has a table for each group.
func markdown(run result.Run) string {
	var parts []string
	for _, group := range groups(run) {
		parts = append(parts, "**"+group[0].Group+"**\n\n"+rowsTable([][]result.Row{group}).RenderMarkdown())
	}
	return strings.Join(parts, "\n\n")
}

// groups cuts the rows where the group changes.
func groups(run result.Run) [][]result.Row {
	var all [][]result.Row
	for _, r := range run.Rows {
		if last := len(all) - 1; last >= 0 && all[last][0].Group == r.Group {
			all[last] = append(all[last], r)
		} else {
			all = append(all, []result.Row{r})
		}
	}
	return all
}
