package doxygen

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	htmlRow  = regexp.MustCompile(`(?i)<tr\b[^<>]*>`)
	htmlCell = regexp.MustCompile(`(?i)<t[dh]\b[^<>]*>`)
	tableTag = regexp.MustCompile(`(?i)</?(?:t[dhr]|thead|tbody|tfoot|caption|table)\b[^<>]*>`)
	rule     = regexp.MustCompile(`^[ |:-]*-[ |:-]*$`)
	pipe     = regexp.MustCompile(`\\\||\|`)
)

// htmlRows are the rows of an HTML table in the form of Markdown, its caption first.
func htmlRows(table string) []string {
	parts := htmlRow.Split(table, -1)
	var rows []string
	if caption := strings.TrimSpace(tableTag.ReplaceAllString(parts[0], "")); caption != "" {
		rows = append(rows, caption)
	}
	for _, part := range parts[1:] {
		var b strings.Builder
		for i, c := range htmlCell.Split(part, -1) {
			c = strings.ReplaceAll(tableTag.ReplaceAllString(c, ""), "|", `\|`)
			if i > 0 || strings.TrimSpace(c) != "" {
				b.WriteString("|" + c)
			}
		}
		if b.Len() > 0 {
			rows = append(rows, b.String()+"|")
		}
	}
	return rows
}

// tableLines lays a table out in columns. A row is as in Markdown; text converts a cell.
func tableLines(rows []string, text func(string) string) []string {
	var table [][]string
	var widths []int
	for _, r := range rows {
		if rule.MatchString(r) {
			continue
		}
		cells := rowCells(r)
		for i, c := range cells {
			cells[i] = text(c)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
		table = append(table, cells)
	}
	var out []string
	for _, cells := range table {
		var b strings.Builder
		for i, c := range cells {
			b.WriteString(c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// rowCells are the cells of | a | b |.
func rowCells(row string) []string {
	row = strings.TrimPrefix(strings.TrimSpace(row), "|")
	var cells []string
	at := 0
	for _, m := range pipe.FindAllStringIndex(row, -1) {
		if m[1]-m[0] == 1 {
			cells = append(cells, row[at:m[0]])
			at = m[1]
		}
	}
	if rest := row[at:]; strings.TrimSpace(rest) != "" {
		cells = append(cells, rest)
	}
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, `\|`, "|"))
	}
	return cells
}
