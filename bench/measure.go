package main

import (
	"runtime"
	"time"

	"github.com/go-doca/go-doca/bench/result"
)

// plan is how long to measure.
type plan struct {
	turns int           // of each side
	turn  time.Duration // how long about each takes
}

// measure lets the sides do their work in turns, in one order and then in the other, and compares the first side with each of
// the others. Each turn of Go is compared with the turns right beside it: what slows the machine down slows both.
func (p plan) measure(row row, sides []side) []result.Row {
	rounds := make([]int, len(sides))
	for i, s := range sides {
		rounds[i] = p.rounds(s)
	}
	times := make([][]float64, len(sides)) // of each side: of each turn the time of an operation
	for i := range times {
		times[i] = make([]float64, p.turns)
	}
	allocs := uint64(0)
	for turn := range p.turns {
		for k := range sides {
			i := k
			if turn%2 == 1 {
				i = len(sides) - 1 - k
			}
			before := mallocs()
			start := time.Now()
			sides[i].run(rounds[i])
			times[i][turn] = float64(time.Since(start).Nanoseconds()) / float64(rounds[i]*sides[i].ops)
			if i == 0 {
				allocs += mallocs() - before
			}
		}
	}
	others := len(sides)
	if row.scaling {
		others = 2
	}
	var rows []result.Row
	for i := 1; i < others; i++ {
		found := compare(times[0], times[i])
		if row.scaling {
			found.Ratio = scales(times)
		}
		found.Group, found.Name, found.Against, found.Goal = row.group, row.name, sides[i].name, sides[i].goal
		if !row.apart {
			each := float64(allocs) / float64(p.turns*rounds[0]*sides[0].ops)
			found.Allocs = &each
		}
		rows = append(rows, found)
	}
	return rows
}

// compare compares two sides turn by turn.
func compare(inGo, other []float64) result.Row {
	ratios, extras := make([]float64, len(inGo)), make([]float64, len(inGo))
	for i := range inGo {
		ratios[i], extras[i] = other[i]/inGo[i], inGo[i]-other[i]
	}
	return result.Row{
		Go: result.QuartilesOf(inGo).Median, Other: result.QuartilesOf(other).Median,
		Ratio: result.QuartilesOf(ratios), Extra: result.QuartilesOf(extras),
	}
}

// scales returns by how much Go's rate grows when it is there twice, by how much C's grows. The sides are Go and C twice, then Go and
// C alone.
func scales(times [][]float64) result.Quartiles {
	values := make([]float64, len(times[0]))
	for i := range values {
		values[i] = times[2][i] / times[0][i] / (times[3][i] / times[1][i])
	}
	return result.QuartilesOf(values)
}

// rounds finds out how many rounds of a side take as long as a turn. It is one at least.
func (p plan) rounds(s side) int {
	s.run(1) // the first one makes what the others have
	took := func(n int) time.Duration {
		start := time.Now()
		s.run(n)
		return time.Since(start)
	}
	for n := 1; ; n *= 2 {
		d := took(n)
		for again := 0; again < 4 && d >= p.turn/4; again++ {
			d = min(d, took(n)) // the machine may have been busy
		}
		if d >= p.turn/4 {
			return max(1, int(float64(n)*float64(p.turn)/float64(d)))
		}
	}
}

// mallocs returns how many objects have been allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
