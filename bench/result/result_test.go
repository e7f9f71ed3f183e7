package result

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestQuartiles(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Quartiles{7, 7, 7}, QuartilesOf([]float64{7}))
	assert.Equal(t, Quartiles{2, 3, 4}, QuartilesOf([]float64{5, 1, 4, 2, 3}))
	assert.Equal(t, Quartiles{1.75, 2.5, 3.25}, QuartilesOf([]float64{4, 3, 2, 1}), "interpolated")
	values := []float64{3, 1, 2}
	QuartilesOf(values)
	assert.Equal(t, []float64{3, 1, 2}, values, "the turns keep their order: they are pairs")
}

func TestGoals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		row      Row
		text     string
		met, has bool
	}{
		{"none", Row{}, "", false, false},
		{"ratio met", Row{Goal: AtLeast(0.9), Ratio: Quartiles{0.5, 0.9, 1}}, "≥ 0.90", true, true},
		{"ratio missed", Row{Goal: AtLeast(0.9), Ratio: Quartiles{0.5, 0.89, 1}}, "≥ 0.90", false, true},
		{"extra met", Row{Goal: AtMost(150 * time.Nanosecond), Extra: Quartiles{1, 150, 900}}, "≤ +150 ns", true, true},
		{"extra missed", Row{Goal: AtMost(360 * time.Microsecond), Extra: Quartiles{1, 360001, 900000}}, "≤ +360 µs", false, true},
		{"faster than the other", Row{Goal: AtMost(time.Nanosecond), Extra: Quartiles{-3, -2, -1}}, "≤ +1.00 ns", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			met, has := c.row.Met()
			assert.Equal(t, []bool{c.met, c.has}, []bool{met, has})
			assert.Equal(t, c.text, c.row.Goal.String())
		})
	}
}

func TestNanoseconds(t *testing.T) {
	t.Parallel()
	for ns, want := range map[float64]string{
		0: "0.00 ns", 0.5: "0.50 ns", 17.84: "17.8 ns", 99.97: "100 ns", 328.4: "328 ns", 999.4: "999 ns", 999.6: "1.00 µs",
		6157: "6.16 µs", 96597: "96.6 µs", 2.5e6: "2.50 ms", 1.2e9: "1200 ms", -150: "-150 ns",
	} {
		assert.Equal(t, want, Nanoseconds(ns), ns)
	}
}
