package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/bench/result"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// example has a row that meets its goal, one that misses it, and one without.
func example() result.Run {
	none, two := 0.01, 2.04
	same := func(v float64) result.Quartiles { return result.Quartiles{Low: v, Median: v, High: v} }
	return result.Run{
		Date: time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC), Commit: "abc1234", Go: "go1.26.8", CPU: "Z80", Cores: 2, Provider: "emulator 3.0",
		Turns: 41, Turn: 20 * time.Millisecond,
		Rows: []result.Row{
			{Group: "DMA", Name: "batch", Against: "C", Go: 20, Other: 19, Ratio: result.Quartiles{Low: 0.9, Median: 0.95, High: 1.1}, Extra: same(1), Allocs: &none, Goal: result.AtLeast(0.9)},
			{Group: "DMA", Name: "batch", Against: "memcpy", Go: 20, Other: 200, Ratio: same(10), Extra: same(-180), Allocs: &two},
			{Group: "Start", Name: "exec", Against: "C", Go: 2e6, Other: 1e6, Ratio: same(0.5), Extra: same(1e6), Goal: result.AtMost(360 * time.Microsecond)},
		},
		Memory: []result.Memory{{Object: "idle context", Go: 1600, C: 3 << 20, Shared: 4096}},
	}
}

func save(t *testing.T, run result.Run) string {
	t.Helper()
	text, err := json.Marshal(run)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, report{}.make(save(t, example()), &out))
	for _, want := range []string{
		"2026-11-22, commit abc1234, go1.26.8, Z80, 2 cores, DOCA: emulator 3.0; 41 turns of 20ms for each side",
		"│ batch │ C       │ 20.0 ns │ 19.0 ns │ 0.95 (0.90 to 1.10) │  1.00 ns │      0 │ ≥ 0.90    │ yes │",
		"│       │ memcpy  │ 20.0 ns │  200 ns │ 10 (10 to 10)       │  -180 ns │    2.0 │           │     │",
		"│ exec  │ C       │ 2.00 ms │ 1.00 ms │ 0.50 (0.50 to 0.50) │  1.00 ms │        │ ≤ +360 µs │ no  │",
		"1 of 2 goals are met.",
		"│ idle context │  1600 B │ 3.0 MiB │ 4096 B │",
	} {
		assert.Contains(t, out.String(), want)
	}
}

func TestNothingMeasured(t *testing.T) {
	t.Parallel()
	assert.ErrorContains(t, report{}.make(save(t, result.Run{}), io.Discard), "no row was measured")
	assert.ErrorIs(t, report{}.make(filepath.Join(t.TempDir(), "none"), io.Discard), os.ErrNotExist)
}

func TestPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.md")
	page := "# Title\n\n<!-- make bench DOCS=1 writes the table from here -->\nold\n<!-- to here: table -->\n\nText.\n\n" +
		"<!-- make bench DOCS=1 writes the memory from here -->\n<!-- to here: memory -->\nEnd.\n"
	require.NoError(t, os.WriteFile(path, []byte(page), 0o600))
	r := report{page: path}
	require.NoError(t, r.make(save(t, example()), io.Discard))
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, want := range []string{"# Title", "**DMA**", "| batch | C | 20.0 ns |", "**Start**", "1 of 2 goals are met.", "\n\nText.\n", "| idle context | 1600 B |", "\nEnd.\n"} {
		assert.Contains(t, string(first), want)
	}
	assert.NotContains(t, string(first), "old")
	require.NoError(t, r.make(save(t, example()), io.Discard))
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(first), string(again), "the markers stay")

	require.NoError(t, os.WriteFile(path, []byte("# Title\n"), 0o600))
	assert.ErrorContains(t, r.make(save(t, example()), io.Discard), "writes the table from here")
}

func TestHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	run := example()
	require.NoError(t, appendHistory(path, run))
	run.Commit, run.Rows[0].Ratio.Median = "def5678", 0.123456
	require.NoError(t, appendHistory(path, run))
	runs, err := readHistory(path)
	require.NoError(t, err)
	require.Len(t, runs, 2)
	assert.Equal(t, []string{"abc1234", "def5678"}, []string{runs[0].Commit, runs[1].Commit})
	assert.Equal(t, [5]float64{20, 19, 0.95, 0.9, 1.1}, runs[0].Rows["DMA/batch/C"])
	assert.Equal(t, 0.1235, runs[1].Rows["DMA/batch/C"][2])

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), "\n"), "a line for each run")
	require.NoError(t, os.WriteFile(path, append(text, "{"...), 0o600))
	_, err = readHistory(path)
	assert.ErrorContains(t, err, "run 3")
}

func TestPicture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := report{history: filepath.Join(dir, "h"), picture: filepath.Join(dir, "p.svg")}
	for range 3 {
		require.NoError(t, r.make(save(t, example()), io.Discard))
	}
	text, err := os.ReadFile(r.picture)
	require.NoError(t, err)
	for _, want := range []string{"1 of 2 goals are met.", ">batch<", ">memcpy<", ">20.0 ns<", ">0.95<", ">1/4<", ">START<"} {
		assert.Contains(t, string(text), want)
	}
	assert.Equal(t, 1, strings.Count(string(text), ">batch<"), "the name once for two lines")
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for err = nil; err == nil; {
		_, err = d.Token()
	}
	assert.True(t, errors.Is(err, io.EOF), err)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, ratioAt, float64(place(0)), 1e-9)
	assert.InDelta(t, ratioEnd, float64(place(1e9)), 1e-9)
	assert.InDelta(t, ratioAt+(ratioEnd-ratioAt)*0.6, float64(place(1)), 1e-6)
}

func TestRatio(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0.00405: "0.004", 0.1: "0.10", 0.995: "0.99", 1.0651: "1.07", 9.96: "10", 15.3: "15"} {
		assert.Equal(t, want, ratio(v), v)
	}
}
