package apidiff

import (
	"encoding/json"
	"io"
)

// Formats are the forms of a report.
var Formats = []string{"text", "md", "json", "html"}

// Writer is the function that writes a report in one of Formats, or nil.
func Writer(format string) func(io.Writer, *Report) error {
	return map[string]func(io.Writer, *Report) error{
		"text": WriteText, "md": WriteMarkdown, "json": WriteJSON, "html": WriteHTML,
	}[format]
}

// WriteJSON writes the report as it is. The fields stay as they are from version to version of
// this program; there may come new ones.
func WriteJSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
