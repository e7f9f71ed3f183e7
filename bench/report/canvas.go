package main

import (
	"errors"
	"image/color"
	"io"
	"os"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

var fonts = font.NewCache(liberation.Collection())

// canvas draws with y from the top, and texts by their middle.
type canvas struct {
	svg    *vgsvg.Canvas
	height vg.Length
	on     draw.Canvas
}

func newCanvas(width, height vg.Length) *canvas {
	svg := vgsvg.New(width, height)
	c := &canvas{svg: svg, height: height, on: draw.New(svg)}
	c.on.FillPolygon(paper, []vg.Point{{X: 0, Y: 0}, {X: width, Y: 0}, {X: width, Y: height}, {X: 0, Y: height}})
	return c
}

func (c *canvas) at(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: c.height - y} }

func (c *canvas) write(x, y vg.Length, s string, size float64, shade color.Color, side draw.XAlignment) {
	c.text(x, y, s, font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}, shade, side)
}

func (c *canvas) bold(x, y vg.Length, s string, size float64, shade color.Color) {
	c.text(x, y, s, font.Font{Typeface: "Liberation", Variant: "Sans", Weight: 2, Size: vg.Length(size)}, shade, draw.XLeft)
}

func (c *canvas) text(x, y vg.Length, s string, f font.Font, shade color.Color, side draw.XAlignment) {
	style := text.Style{Color: shade, Font: f, XAlign: side, YAlign: draw.YCenter, Handler: text.Plain{Fonts: fonts}}
	c.on.FillText(style, c.at(x, y), s)
}

func (c *canvas) line(x1, y1, x2, y2, wide vg.Length, shade color.Color) {
	c.on.StrokeLines(draw.LineStyle{Color: shade, Width: wide}, []vg.Point{c.at(x1, y1), c.at(x2, y2)})
}

func (c *canvas) mark(x, y, radius vg.Length, m mark) {
	c.on.DrawGlyph(draw.GlyphStyle{Color: m.shade, Radius: radius, Shape: m.shape}, c.at(x, y))
}

func (c *canvas) save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.WriterTo(c.svg).WriteTo(f)
	return errors.Join(err, f.Close())
}
