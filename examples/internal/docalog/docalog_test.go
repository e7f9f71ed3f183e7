package docalog

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLines(t *testing.T) {
	var out, errs strings.Builder
	Setup(&out, &errs, 40)
	slog.Info("not shown")
	slog.Warn("careful", "n", 3)
	slog.Error("broken")
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	assert.Len(t, lines, 2)
	assert.Regexp(t, `^\[\d\d:\d\d:\d\d:\d{6}\]\[\d+\]\[DOCA\]\[WRN\]\[docalog_test.go:\d+\]\[TestLines\] careful n=3$`, lines[0])
	assert.Regexp(t, `\[ERR\].* broken$`, lines[1])
	assert.Empty(t, out.String())
	errs.Reset()
	Setup(&out, &errs, 10)
	slog.Error("not shown")
	assert.Empty(t, errs.String())
	Setup(&out, &errs, 0)
	slog.Info("shown")
	slog.Debug("not shown")
	slog.With("a", 1).WithGroup("g").Info("more", "b", 2)
	assert.Contains(t, out.String(), "more a=1 g.b=2\n")
	assert.Contains(t, out.String(), "[INF]")
	assert.NotContains(t, out.String(), "[DBG]")
}
