// Command plot draws the results of initiator_comch: the distribution of the latency, and rate and latency over time, as SVG. See
// docs/storage.md.
//
//	initiator_comch ... --json-output results.json
//	plot results.json            # writes results-latency.svg and results-rate.svg
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// results is what is drawn of the results.
type results struct {
	Distribution []struct{ Percent, Microseconds float64 } `json:"latency_distribution"`
	Samples      []struct {
		Begin   float64 `json:"begin_seconds"`
		Length  float64 `json:"length_seconds"`
		Rate    float64 `json:"operations_per_second"`
		Latency float64 `json:"mean_latency_microseconds"`
	}
}

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: plot RESULTS.json")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(r.Distribution) == 0 || len(r.Samples) == 0 {
		return fmt.Errorf("%s has no results of initiator_comch", path)
	}
	base := strings.TrimSuffix(path, ".json")
	return errors.Join(draw(base+"-latency.svg", r.latency), draw(base+"-rate.svg", r.rate))
}

// draw makes a plot and writes it to a file.
func draw(path string, fill func(p *plot.Plot) error) error {
	p := plot.New()
	p.Add(plotter.NewGrid())
	if err := fill(p); err != nil {
		return err
	}
	w, err := p.WriterTo(16*vg.Centimeter, 10*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f, w), f.Close())
}

func write(f io.Writer, w io.WriterTo) error {
	_, err := w.WriteTo(f)
	return err
}

// latency draws the latency at the percentiles. Each unit of the x axis is a nine more: 90 %, 99 %, 99.9 %.
func (r results) latency(p *plot.Plot) error {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "Latency", "percentile", "µs"
	var points plotter.XYs
	for _, s := range r.Distribution {
		if s.Percent < 100 && s.Microseconds > 0 {
			points = append(points, plotter.XY{X: nines(s.Percent), Y: s.Microseconds})
		}
	}
	if len(points) == 0 {
		return errors.New("all requests have taken the same time")
	}
	p.X.Tick.Marker = percentiles{}
	line, err := plotter.NewLine(points)
	if err == nil {
		p.Add(line)
	}
	return err
}

func nines(percent float64) float64 { return -math.Log10(1 - percent/100) }

// percentiles marks the x axis.
type percentiles struct{}

// Ticks returns the marks between two values.
func (percentiles) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, p := range []float64{0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		if x := nines(p); x >= low && x <= high {
			ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprint(p)})
		}
	}
	return ticks
}

// rate draws the operations per second over time.
func (r results) rate(p *plot.Plot) error {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "IO rate", "s", "IO/s"
	points := make(plotter.XYs, len(r.Samples))
	for i, s := range r.Samples {
		points[i] = plotter.XY{X: s.Begin + s.Length/2, Y: s.Rate}
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err == nil {
		p.Add(line, marks)
		p.Y.Min = 0
	}
	return err
}
