package initiator

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is how long requests have taken. It knows percentiles to three digits, up to a minute.
type Latency struct {
	hist     *hdrhistogram.Histogram
	min, max time.Duration
	sum      time.Duration
	count    uint64
}

func newLatency() *Latency {
	return &Latency{hist: hdrhistogram.New(1, time.Minute.Nanoseconds(), 3)}
}

// add counts a request. It allocates nothing.
func (l *Latency) add(d time.Duration) {
	if l.count == 0 || d < l.min {
		l.min = d
	}
	l.max = max(l.max, d)
	l.sum += d
	l.count++
	_ = l.hist.RecordValue(min(d.Nanoseconds(), l.hist.HighestTrackableValue()))
}

// merge adds the requests of another one.
func (l *Latency) merge(m *Latency) {
	if m.count == 0 {
		return
	}
	if l.count == 0 || m.min < l.min {
		l.min = m.min
	}
	l.max = max(l.max, m.max)
	l.sum += m.sum
	l.count += m.count
	l.hist.Merge(m.hist)
}

// Min returns the shortest time.
func (l *Latency) Min() time.Duration { return l.min }

// Max returns the longest time.
func (l *Latency) Max() time.Duration { return l.max }

// Mean returns the mean; 0 if there was no request.
func (l *Latency) Mean() time.Duration {
	if l.count == 0 {
		return 0
	}
	return l.sum / time.Duration(l.count)
}

// Percentile returns the time that p percent of the requests have not exceeded.
func (l *Latency) Percentile(p float64) time.Duration {
	return time.Duration(l.hist.ValueAtPercentile(p))
}

// Step is a step of a distribution.
type Step struct {
	Percent      float64 `json:"percent"`
	Microseconds float64 `json:"microseconds"` // that Percent of the requests have not exceeded
}

// Distribution returns the latency at ever more percent, in steps that get smaller towards 100.
func (l *Latency) Distribution() []Step {
	var steps []Step
	for _, b := range l.hist.CumulativeDistribution() {
		steps = append(steps, Step{Percent: b.Quantile, Microseconds: micros(time.Duration(b.ValueAt))})
	}
	return steps
}
