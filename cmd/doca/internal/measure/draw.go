// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"image/color"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Draw writes a picture of the rows to a file, as SVG: operations per second by size, a line for each operation and window.
func Draw(path, title string, rows []Row) error {
	p := plot.New()
	p.Title.Text = title
	p.BackgroundColor = color.White // on dark pages, too
	p.X.Label.Text, p.Y.Label.Text = "bytes of an operation", "operations per second"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.TickerFunc(decades)
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	var sizes plot.ConstantTicks
	lines := map[string]plotter.XYs{}
	var names []string
	for _, r := range rows {
		name := fmt.Sprintf("%s, window %d", r.Operation, r.Window)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if tick := (plot.Tick{Value: float64(r.Size), Label: SizeText(r.Size)}); !slices.Contains(sizes, tick) {
			sizes = append(sizes, tick)
		}
		lines[name] = append(lines[name], plotter.XY{X: float64(r.Size), Y: r.PerSecond})
	}
	p.X.Tick.Marker = sizes
	for i, name := range names {
		line, points, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			return err
		}
		line.Color, points.Color, points.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, points)
		p.Legend.Add(name, line, points)
	}
	drawn, err := p.WriterTo(18*vg.Centimeter, 11*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := drawn.WriteTo(f); err != nil {
		_ = f.Close() // the error above says more
		return err
	}
	return f.Close()
}

// decades labels the powers of ten, as 100, 10 k and 1 M.
func decades(low, high float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label == "" {
			continue
		}
		unit := ""
		for _, u := range []string{" k", " M", " G"} {
			if t.Value >= 1000 {
				t.Value, unit = t.Value/1000, u
			}
		}
		ticks[i].Label = strconv.FormatFloat(t.Value, 'g', 3, 64) + unit
	}
	return ticks
}

// SizeText is a number of bytes such as 64, 4K or 1M.
func SizeText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "K"
	}
	return strconv.Itoa(n)
}
