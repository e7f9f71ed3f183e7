package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/go-doca/go-doca/bench/result"
)

// past is a line of the history: what stays of a run.
type past struct {
	Date   time.Time             `json:"date"`
	Commit string                `json:"commit"`
	Go     string                `json:"go"`
	CPU    string                `json:"cpu"`
	Rows   map[string][5]float64 `json:"rows"` // by key: ns of Go and of the other; the ratio's median and quartiles
}

// appendHistory adds a run to a file of lines, which it makes if there is none.
func appendHistory(path string, run result.Run) error {
	p := past{Date: run.Date, Commit: run.Commit, Go: run.Go, CPU: run.CPU, Rows: map[string][5]float64{}}
	for _, r := range run.Rows {
		p.Rows[r.Key()] = [5]float64{short(r.Go), short(r.Other), short(r.Ratio.Median), short(r.Ratio.Low), short(r.Ratio.High)}
	}
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// short leaves four digits.
func short(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}

// readHistory reads the runs of a file, from the oldest to the newest.
func readHistory(path string) ([]past, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var runs []past
	for lines := json.NewDecoder(bytes.NewReader(file)); ; {
		var p past
		switch err := lines.Decode(&p); {
		case errors.Is(err, io.EOF):
			return runs, nil
		case err != nil:
			return nil, fmt.Errorf("%s: run %d: %w", path, len(runs)+1, err)
		}
		runs = append(runs, p)
	}
}
