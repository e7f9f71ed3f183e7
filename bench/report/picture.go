package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"github.com/go-doca/go-doca/bench/result"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The layout in pixels: a table, and in each of its lines two small plots.
const (
	width     = 1000
	line      = 19
	margin    = 18
	top       = 100 // the title and the heads of the columns
	bottom    = 62  // the scale, and what the marks mean
	againstAt = 372
	goEnd     = 618
	otherEnd  = 680
	rateEnd   = 726
	ratioAt   = 744
	ratioEnd  = 896
	pastAt    = 912
	pastEnd   = width - margin
)

// Sizes of texts.
const (
	large  = 15
	normal = 12
	little = 11
)

// The scale of ratios: what is outside is drawn at its end.
const least, most = 1.0 / 64, 16

// The colours suit the picture's own background, so the page may be light or dark.
var (
	paper  = color.RGBA{252, 252, 250, 255}
	ink    = color.RGBA{28, 36, 48, 255}
	faint  = color.RGBA{70, 82, 95, 255}
	rule   = color.RGBA{221, 225, 229, 255}
	middle = color.RGBA{125, 135, 145, 255}
	green  = color.RGBA{26, 127, 75, 255}
	red    = color.RGBA{196, 62, 28, 255}
	blue   = color.RGBA{65, 120, 180, 255}
)

// drawRun draws a run and, beside each of its rows, the ratios of the history, whose last run it is.
func drawRun(path string, run result.Run, history []past) error {
	all := groups(run)
	end := vg.Length(top + line*(len(run.Rows)+len(all)))
	c := newCanvas(width, end+bottom)
	head(c, run)
	for x := least; x <= most; x *= 4 {
		shade := rule
		if x == 1 {
			shade = middle
		}
		c.line(place(x), top-line/2, place(x), end-line/2, 0.7, shade)
		c.write(place(x), end+4, factor(x), little, faint, draw.XCenter)
	}
	y := vg.Length(top)
	for _, group := range all {
		c.bold(margin, y, strings.ToUpper(group[0].Group), little, faint)
		y += line
		before := ""
		for _, r := range group {
			if r.Name != before {
				c.write(margin, y, r.Name, normal, ink, draw.XLeft)
			}
			before = r.Name
			drawRow(c, y, r)
			drawPast(c, y, r, history)
			y += line
		}
	}
	legend(c, end+34)
	return c.save(path)
}

func head(c *canvas, run result.Run) {
	c.bold(margin, 26, "go-doca against the same work in C: "+summary(run), large, ink)
	c.write(margin, 50, conditions(run), little, faint, draw.XLeft)
	for _, h := range []struct {
		x    vg.Length
		text string
		side draw.XAlignment
	}{
		{againstAt, "against", draw.XLeft}, {goEnd, "Go", draw.XRight}, {otherEnd, "other", draw.XRight},
		{rateEnd, "ratio", draw.XRight}, {(ratioAt + ratioEnd) / 2, "Go's rate by the other's", draw.XCenter}, {pastEnd, "over time", draw.XRight},
	} {
		c.write(h.x, top-line-2, h.text, little, faint, h.side)
	}
}

// mark says by its colour and shape whether a row has its goal.
type mark struct {
	shade color.Color
	shape draw.GlyphDrawer
}

var (
	hasGoal    = mark{green, draw.CircleGlyph{}}
	missesGoal = mark{red, draw.BoxGlyph{}}
	noGoal     = mark{blue, draw.PyramidGlyph{}}
)

func markOf(r result.Row) mark {
	switch met, has := r.Met(); {
	case !has:
		return noGoal
	case met:
		return hasGoal
	default:
		return missesGoal
	}
}

// drawRow draws the quartiles as a bar, the median as a mark and the goal as a stroke.
func drawRow(c *canvas, y vg.Length, r result.Row) {
	c.write(againstAt, y, r.Against, little, faint, draw.XLeft)
	c.write(goEnd, y, result.Nanoseconds(r.Go), normal, ink, draw.XRight)
	c.write(otherEnd, y, result.Nanoseconds(r.Other), normal, ink, draw.XRight)
	c.write(rateEnd, y, ratio(r.Ratio.Median), normal, ink, draw.XRight)
	if r.Goal.Ratio != 0 {
		c.line(place(r.Goal.Ratio), y-6, place(r.Goal.Ratio), y+6, 1.5, ink)
	}
	c.line(place(r.Ratio.Low), y, place(r.Ratio.High), y, 3, markOf(r).shade)
	c.mark(place(r.Ratio.Median), y, 4, markOf(r))
}

// drawPast draws the medians of the ratios from run to run. The height of a line is a factor of 2 up and down from the last one.
func drawPast(c *canvas, y vg.Length, r result.Row, history []past) {
	var ratios []float64
	for _, p := range history {
		if v, ok := p.Rows[r.Key()]; ok {
			ratios = append(ratios, v[2])
		}
	}
	for i, v := range ratios {
		at := func(i int, v float64) (x, up vg.Length) {
			off := max(-1, min(1, math.Log2(v/ratios[len(ratios)-1])))
			return pastEnd - 6 - vg.Length(len(ratios)-1-i)*min(8, (pastEnd-pastAt-12)/vg.Length(max(1, len(ratios)-1))), y - vg.Length(off*line*0.42)
		}
		x, up := at(i, v)
		if i > 0 {
			fromX, fromUp := at(i-1, ratios[i-1])
			c.line(fromX, fromUp, x, up, 1, faint)
		}
		c.mark(x, up, 1.6, mark{faint, draw.CircleGlyph{}})
	}
}

func legend(c *canvas, y vg.Length) {
	x := vg.Length(margin)
	for _, l := range []struct {
		mark
		text string
	}{{hasGoal, "the goal is met"}, {missesGoal, "it is missed"}, {noGoal, "no goal"}} {
		c.mark(x+4, y, 4, l.mark)
		c.write(x+14, y, l.text, little, faint, draw.XLeft)
		x += vg.Length(36 + 5*len(l.text))
	}
	c.line(x+4, y-6, x+4, y+6, 1.5, ink)
	c.write(x+14, y, "the goal, if it is a ratio. Bars: half of the pairs of turns. Over time: up and down is a factor of 2 from the last run.", little, faint, draw.XLeft)
}

// place is where a ratio is on the scale.
func place(ratio float64) vg.Length {
	part := math.Log(max(least, min(most, ratio))/least) / math.Log(most/least)
	return ratioAt + vg.Length(part)*(ratioEnd-ratioAt)
}

func factor(v float64) string {
	if v < 1 {
		return fmt.Sprintf("1/%.0f", 1/v)
	}
	return fmt.Sprintf("%.0f", v)
}
