package core

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// LogLine is a message of DOCA's log.
type LogLine struct {
	Time     time.Time
	Level    uint32 // DOCA's number
	Source   string // DOCA's name of the source; empty if the line has none
	File     string // empty if the line has none
	Line     int
	Function string
	Text     string
}

// DOCA's form is [HH:MM:SS:uuuuuu][process][DOCA][level][source][file:line][function] text. The source is in the lines of some
// releases only, and the form is promised nowhere, so that a line of another form is a text.
var (
	logHead  = regexp.MustCompile(`^\[(\d\d):(\d\d):(\d\d):(\d{6})\]\[\d+\]\[DOCA\]\[([A-Z]{3})\]((?:\[[^\[\]]*\])*) ?`)
	logPlace = regexp.MustCompile(`^(.+):(\d+)$`)
)

// The numbers of DOCA's levels by their names in the log.
var logTags = map[string]uint32{"CRT": 20, "ERR": 30, "WRN": 40, "INF": 50, "DBG": 60, "TRC": 70}

// parseLogLine returns the message that a line begins, and whether it begins one. now is the time of its arrival.
func parseLogLine(line string, now time.Time) (LogLine, bool) {
	m := logHead.FindStringSubmatch(line)
	if m == nil || logTags[m[5]] == 0 {
		return LogLine{}, false
	}
	out := LogLine{Level: logTags[m[5]], Time: logTime(m[1:5], now), Text: line[len(m[0]):]}
	var before []string
	for group := range strings.SplitSeq(strings.Trim(m[6], "[]"), "][") {
		place := logPlace.FindStringSubmatch(group)
		switch {
		case out.File != "":
			out.Function = group
		case place != nil:
			out.File = place[1]
			out.Line, _ = strconv.Atoi(place[2])
		default:
			before = append(before, group)
		}
	}
	out.Source = strings.Join(before, " ")
	return out, true
}

// logTime returns the time of a clock without a date, which was shown shortly before now.
func logTime(clock []string, now time.Time) time.Time {
	var n [4]int
	for i, s := range clock {
		n[i], _ = strconv.Atoi(s)
	}
	y, m, d := now.Date()
	t := time.Date(y, m, d, n[0], n[1], n[2], n[3]*1000, now.Location())
	switch ago := now.Sub(t); {
	case ago < -12*time.Hour: // it was shown before midnight
		return t.AddDate(0, 0, -1)
	case ago > 12*time.Hour:
		return t.AddDate(0, 0, 1)
	}
	return t
}
