package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// chart is a set of groups of bars, one bar for each peer, with the spread.
type chart struct {
	title, axis string
	groups      []string
	peers       []string
	// value gives a peer's bar in a group.
	value func(group int, peer string) (ratio, bool)
	// log makes the axis logarithmic. Bars then start at its least value.
	log bool
}

var colors = map[string]color.Color{
	ours:  color.RGBA{0x1f, 0x6f, 0xb4, 0xff},
	bare:  color.RGBA{0xd6, 0x5f, 0x3c, 0xff},
	group: color.RGBA{0xe8, 0xa3, 0x3d, 0xff},
	tuned: color.RGBA{0x6b, 0x9e, 0x5a, 0xff},
	mcpGo: color.RGBA{0x8a, 0x6f, 0xb0, 0xff},
}

func (x *results) charts(folder string) error {
	for name, c := range map[string]chart{
		"time.svg":   x.timeChart(),
		"cost.svg":   x.costChart(),
		"step.svg":   x.stepChart(),
		"wedged.svg": x.wedgedChart(),
	} {
		if err := c.write(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("chart %s: %w", name, err)
		}
	}
	return nil
}

func (x *results) timeChart() chart {
	var shown []timing
	c := chart{title: "Time to the tools of ten servers", axis: "times as long as mcpclient", peers: others(), log: true}
	for _, t := range x.timings {
		if t.count == 10 {
			shown = append(shown, t)
			c.groups = append(c.groups, fmt.Sprintf("%v a request", t.delay))
		}
	}
	c.value = func(group int, peer string) (ratio, bool) {
		return compare(shown[group].taken[peer], shown[group].taken[ours])
	}
	return c
}

func (x *results) costChart() chart {
	figures := []samples{x.connect.user, x.connect.allocs, x.connect.bytes, x.small.user, x.large.user, x.idle}
	return chart{
		title: "CPU and memory beside mcpclient", axis: "times as much as mcpclient", peers: others(), log: true,
		groups: []string{"connect: CPU", "allocations", "bytes", "small call: CPU", "64 KiB call: CPU", "idle session: heap"},
		value:  func(group int, peer string) (ratio, bool) { return compare(figures[group][peer], figures[group][ours]) },
	}
}

func (x *results) stepChart() chart {
	figures := []samples{x.steps.wall, x.steps.user, x.steps.allocs}
	return chart{
		title: "A step without a Pool", axis: "times as much as with a warm Pool", log: true,
		peers: append([]string{ours}, others()...), groups: []string{"time", "CPU", "allocations"},
		value: func(group int, peer string) (ratio, bool) {
			return compare(figures[group][peer], figures[group][pooled])
		},
	}
}

func (x *results) wedgedChart() chart {
	figures := []samples{x.silent.connect, x.late.connect}
	return chart{
		title: fmt.Sprintf("One of ten servers is wedged: time to return (helped after %v)", x.rescue), axis: "times the budget",
		peers: append([]string{ours}, others()...), groups: []string{"it is silent", "it answers initialize, then nothing"},
		value: func(group int, peer string) (ratio, bool) {
			values := figures[group][peer]
			return compare(values, slices.Repeat([]float64{x.budget.Seconds()}, len(values)))
		},
	}
}

func (c chart) write(path string) error {
	const barWidth = 16
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = c.title, c.axis
	p.Title.Padding = vg.Points(8)
	p.Legend.Top, p.Legend.XOffs = true, -vg.Points(8)
	p.NominalX(c.groups...)
	p.Y.Min = 0
	low, high := math.Inf(1), 0.0
	for i, peer := range c.peers {
		bars, err := c.bars(i, peer, barWidth)
		if err != nil {
			return err
		}
		bars.add(p)
		low, high = min(low, bars.low), max(high, bars.high)
	}
	p.X.Min, p.X.Max = -0.5, float64(len(c.groups))-0.5
	p.Y.Max = high * 1.1
	if c.log {
		p.Y.Min = min(low/1.5, 0.8)
		p.Y.Max = high * 2
		p.Y.Scale, p.Y.Tick.Marker = logarithmic{}, ticks{}
		one := plotter.NewFunction(func(float64) float64 { return 1 })
		one.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
		p.Add(one)
	}
	width := vg.Length(len(c.groups)*(len(c.peers)+2)*barWidth + 120)
	svg, err := p.WriterTo(max(width, 480), 300, "svg")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := svg.WriteTo(&text); err != nil {
		return err
	}
	// The font that the text was measured with is on few machines.
	family := []byte("font-family:Liberation Sans")
	drawn := bytes.ReplaceAll(text.Bytes(), family, append(family, ",Arial,Helvetica,sans-serif"...))
	return os.WriteFile(path, drawn, 0o644)
}

// bars are those of one peer in all groups.
type bars struct {
	name      string
	chart     *plotter.BarChart
	spread    *spread
	low, high float64
}

func (c chart) bars(index int, peer string, width vg.Length) (*bars, error) {
	values := make(plotter.Values, len(c.groups))
	b := &bars{name: peer, low: math.Inf(1), spread: &spread{}}
	for g := range c.groups {
		r, ok := c.value(g, peer)
		if !ok {
			continue
		}
		values[g] = r.median
		b.low, b.high = min(b.low, r.low), max(b.high, r.high)
		b.spread.ratios = append(b.spread.ratios, r)
		b.spread.at = append(b.spread.at, float64(g))
	}
	var err error
	b.chart, err = plotter.NewBarChart(values, width)
	if err != nil {
		return nil, err
	}
	b.chart.Color, b.chart.LineStyle.Width = colors[peer], 0
	b.chart.Offset = width * (vg.Length(index) - vg.Length(len(c.peers)-1)/2)
	b.spread.offset = b.chart.Offset
	return b, nil
}

func (b *bars) add(p *plot.Plot) {
	p.Add(b.chart, b.spread)
	p.Legend.Add(b.name, b.chart)
}
