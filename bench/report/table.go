package main

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/bench/result"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// conditions says what was measured where.
func conditions(run result.Run) string {
	return fmt.Sprintf("%s, commit %s, %s, %s, %d cores, DOCA: %s; %d turns of %v for each side",
		run.Date.Format("2006-01-02"), run.Commit, run.Go, run.CPU, run.Cores, run.Provider, run.Turns, run.Turn)
}

// rowsTable is the table of groups of rows, with a title for each if there are several: for the terminal with Render, for a page
// with RenderMarkdown.
func rowsTable(groups [][]result.Row) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"", "against", "Go", "other", "rate of Go by other", "Go above", "allocs", "goal", "met"})
	t.SetColumnConfigs(right(3, 4, 6, 7))
	for _, group := range groups {
		if len(groups) > 1 {
			t.AppendSeparator()
			t.AppendRow(table.Row{strings.ToUpper(group[0].Group)})
		}
		before := ""
		for _, r := range group {
			name := r.Name
			if name == before {
				name = ""
			}
			t.AppendRow(table.Row{
				name, r.Against, result.Nanoseconds(r.Go), result.Nanoseconds(r.Other),
				fmt.Sprintf("%s (%s to %s)", ratio(r.Ratio.Median), ratio(r.Ratio.Low), ratio(r.Ratio.High)),
				result.Nanoseconds(r.Extra.Median), allocations(r.Allocs), r.Goal, metWord(r),
			})
			before = r.Name
		}
	}
	return t
}

func ratio(v float64) string {
	switch {
	case v >= 9.95:
		return fmt.Sprintf("%.0f", v)
	case v < 0.0995:
		return fmt.Sprintf("%.3f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// allocations leaves out the noise of what else the process does.
func allocations(n *float64) string {
	switch {
	case n == nil:
		return ""
	case *n < 0.05:
		return "0"
	default:
		return fmt.Sprintf("%.1f", *n)
	}
}

func metWord(r result.Row) string {
	switch met, has := r.Met(); {
	case !has:
		return ""
	case met:
		return "yes"
	default:
		return "no"
	}
}

// summary counts the goals.
func summary(run result.Run) string {
	reached, goals := 0, 0
	for _, r := range run.Rows {
		if met, has := r.Met(); has {
			goals++
			if met {
				reached++
			}
		}
	}
	return fmt.Sprintf("%d of %d goals are met.", reached, goals)
}

// memoryTable is the table of what objects take.
func memoryTable(run result.Run) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"memory of", "Go heap", "C heap", "shared"})
	t.SetColumnConfigs(right(2, 3, 4))
	for _, m := range run.Memory {
		t.AppendRow(table.Row{m.Object, amount(m.Go), amount(m.C), amount(m.Shared)})
	}
	return t
}

func amount(n float64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.0f KiB", n/(1<<10))
	default:
		return fmt.Sprintf("%.0f B", n)
	}
}

func right(columns ...int) []table.ColumnConfig {
	var configs []table.ColumnConfig
	for _, c := range columns {
		configs = append(configs, table.ColumnConfig{Number: c, Align: text.AlignRight})
	}
	return configs
}
