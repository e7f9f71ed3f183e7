package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca/internal/core"
)

func TestParseLogLine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	at := func(h, m, s, us int) time.Time { return time.Date(2026, 3, 1, h, m, s, us*1000, time.UTC) }
	for line, want := range map[string]core.LogLine{
		"[12:29:59:000017][77][DOCA][ERR][doca_mmap.c:12][doca_mmap_start] it failed": {
			Time: at(12, 29, 59, 17), Level: 30, File: "doca_mmap.c", Line: 12, Function: "doca_mmap_start", Text: "it failed"},
		"[12:00:00:123456][77][DOCA][CRT][DOCA_DEV][/src/dev.cpp:7][open] [a] b: c": {
			Time: at(12, 0, 0, 123456), Level: 20, Source: "DOCA_DEV", File: "/src/dev.cpp", Line: 7, Function: "open", Text: "[a] b: c"},
		"[12:00:00:000000][1][DOCA][WRN] short":     {Time: at(12, 0, 0, 0), Level: 40, Text: "short"},
		"[12:00:00:000000][1][DOCA][INF][SOURCE] x": {Time: at(12, 0, 0, 0), Level: 50, Source: "SOURCE", Text: "x"},
		"[12:00:00:000000][1][DOCA][DBG][a.c:1][f]": {Time: at(12, 0, 0, 0), Level: 60, File: "a.c", Line: 1, Function: "f"},
		"[12:00:00:000000][1][DOCA][TRC][][f] y":    {Time: at(12, 0, 0, 0), Level: 70, Source: "f", Text: "y"},
	} {
		t.Run(line, func(t *testing.T) {
			got, ok := core.ParseLogLine(line, now)
			assert.True(t, ok)
			assert.Equal(t, want, got)
		})
	}
	for _, line := range []string{"", "text", "[12:00:00:000000]", "[12:00:00:000000][1][DOCA][???] x", "[1:2:3:4][5][DOCA][ERR] x", "[12:00:00:000000][1][OTHER][ERR] x", "\x00"} {
		t.Run("no head: "+line, func(t *testing.T) {
			_, ok := core.ParseLogLine(line, now)
			assert.False(t, ok)
		})
	}
	t.Run("around midnight", func(t *testing.T) {
		got, _ := core.ParseLogLine("[23:59:59:999999][1][DOCA][ERR] x", time.Date(2026, 3, 1, 0, 0, 0, 5, time.UTC))
		assert.Equal(t, time.Date(2026, 2, 28, 23, 59, 59, 999999000, time.UTC), got.Time)
		got, _ = core.ParseLogLine("[00:00:00:000001][1][DOCA][ERR] x", time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC))
		assert.Equal(t, time.Date(2026, 3, 1, 0, 0, 0, 1000, time.UTC), got.Time)
	})
}

func FuzzParseLogLine(f *testing.F) {
	f.Add("[12:29:59:000017][77][DOCA][ERR][doca_mmap.c:12][doca_mmap_start] it failed")
	f.Add("[12:00:00:000000][1][DOCA][WRN][[[]]] short")
	f.Fuzz(func(t *testing.T, line string) {
		if got, ok := core.ParseLogLine(line, time.Now()); ok && (got.Level < 20 || got.Level > 70 || len(got.Text) > len(line)) {
			t.Errorf("%q is %+v", line, got)
		}
	})
}
