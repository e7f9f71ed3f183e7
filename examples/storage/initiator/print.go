package initiator

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/go-doca/go-doca/examples/storage/dataplane"
)

// perSecond returns n divided by the duration.
func (r Result) perSecond(n uint64) float64 {
	if r.Duration == 0 {
		return 0
	}
	return float64(n) / r.Duration.Seconds()
}

func (r Result) hitRate() float64 {
	return dataplane.Stats{Hits: r.Hits, Misses: r.Misses}.HitRate()
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Print writes the result as a block.
func (r Result) Print(out io.Writer) {
	const frame = "+================================================+"
	fmt.Fprintf(out, "%s\n| Stats\n%s\n", frame, frame)
	fmt.Fprintf(out, "| Duration (seconds): %2.06f\n", r.Duration.Seconds())
	fmt.Fprintf(out, "| Operation count: %d\n", r.Operations)
	fmt.Fprintf(out, "| Data rate: %.03f GiB/s\n", r.perSecond(r.Bytes)/(1<<30))
	fmt.Fprintf(out, "| IO rate: %.03f MIOP/s\n", r.perSecond(r.Operations)/1e6)
	fmt.Fprintf(out, "| PE hit rate: %2.03f%% (%d:%d)\n", r.hitRate(), r.Hits, r.Misses)
	fmt.Fprintf(out, "| Latency:\n| \tMin: %.3fus\n| \tMax: %.3fus\n| \tMean: %.3fus\n", micros(r.Latency.Min()), micros(r.Latency.Max()), micros(r.Latency.Mean()))
	fmt.Fprintln(out, frame)
}

// percentiles are those that WriteJSON writes.
var percentiles = []float64{50, 90, 99, 99.9, 99.99}

// WriteJSON writes the result as an object, with the percentiles and the distribution of the latency, and the samples.
func (r Result) WriteJSON(out io.Writer) error {
	l := map[string]float64{"min": micros(r.Latency.Min()), "max": micros(r.Latency.Max()), "mean": micros(r.Latency.Mean())}
	for _, p := range percentiles {
		l[fmt.Sprintf("p%v", p)] = micros(r.Latency.Percentile(p))
	}
	samples := make([]map[string]float64, len(r.Samples))
	for i, s := range r.Samples {
		samples[i] = map[string]float64{
			"begin_seconds": s.Begin.Seconds(), "length_seconds": s.Length.Seconds(),
			"operations_per_second": s.PerSecond(), "mean_latency_microseconds": micros(s.Latency),
		}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"duration_seconds":      r.Duration.Seconds(),
		"operation_count":       r.Operations,
		"bytes":                 r.Bytes,
		"bytes_per_second":      r.perSecond(r.Bytes),
		"operations_per_second": r.perSecond(r.Operations),
		"pe_hits":               r.Hits,
		"pe_misses":             r.Misses,
		"samples":               samples,
		"latency_distribution":  r.Latency.Distribution(),
		"latency_microseconds":  l,
	})
}
