package main

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// logarithmic is a scale on which what is below its least value is at its foot:
// bars start at zero, which has no logarithm.
type logarithmic struct{}

func (logarithmic) Normalize(least, most, x float64) float64 {
	return math.Log(max(x, least)/least) / math.Log(most/least)
}

// ticks are at 1, 2 and 5 times the powers of ten.
type ticks struct{}

func (ticks) Ticks(least, most float64) (all []plot.Tick) {
	labelled := most/least < 1e3
	for decade := math.Pow(10, math.Floor(math.Log10(least))); decade <= most; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			at := decade * step
			if at < least || at > most {
				continue
			}
			tick := plot.Tick{Value: at}
			if labelled || step == 1 {
				tick.Label = label(at)
			}
			all = append(all, tick)
		}
	}
	return all
}

func label(at float64) string { return strconv.FormatFloat(at, 'g', -1, 64) }

var spreadColor = color.Gray{0x20}

// spread draws a line from the lower to the upper quartile of each bar.
type spread struct {
	ratios []ratio
	at     []float64
	offset vg.Length
}

func (s *spread) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: spreadColor, Width: vg.Points(1)}
	for i, r := range s.ratios {
		at := x(s.at[i]) + s.offset
		c.StrokeLine2(style, at, y(r.low), at, y(r.high))
	}
}
