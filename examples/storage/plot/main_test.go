package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const example = `{
	"latency_distribution": [{"percent": 0, "microseconds": 10}, {"percent": 50, "microseconds": 20}, {"percent": 99.9, "microseconds": 90},
		{"percent": 100, "microseconds": 100}],
	"samples": [{"begin_seconds": 0, "length_seconds": 0.25, "operations_per_second": 1000, "mean_latency_microseconds": 21},
		{"begin_seconds": 0.25, "length_seconds": 0.25, "operations_per_second": 1500, "mean_latency_microseconds": 19}]
}`

func TestPlots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(path); err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{"results-latency.svg": {"Latency", ">99.9<", ">µs<"}, "results-rate.svg": {"IO rate", ">IO/s<", ">1500<"}} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
		d := xml.NewDecoder(strings.NewReader(string(text)))
		for err = nil; err == nil; {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	for _, text := range []string{"", "{}", "[1]", `{"samples": [{}], "latency_distribution": [{"percent": 100}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(path); err == nil {
			t.Errorf("%q was drawn", text)
		}
	}
	if err := run(path + "x"); err == nil {
		t.Error("a file that is not there was drawn")
	}
}
