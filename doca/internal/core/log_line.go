package core

import (
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

// The numbers of DOCA's levels by their names in the log.
func logTag(name string) uint32 {
	switch name {
	case "CRT":
		return 20
	case "ERR":
		return 30
	case "WRN":
		return 40
	case "INF":
		return 50
	case "DBG":
		return 60
	case "TRC":
		return 70
	}
	return 0
}

// parseLogLine returns the message that a line begins, and whether it begins one. now is the time of its arrival.
//
// DOCA's form is [HH:MM:SS:uuuuuu][process][DOCA][level][source][file:line][function] text. The source is in the lines of some
// releases only, and the form is promised nowhere, so that a line of another form is a text. It is taken apart by hand: regular
// expressions would cost each program a fifth of a millisecond when it starts.
func parseLogLine(line string, now time.Time) (LogLine, bool) {
	var head [4]string // time, process, DOCA, level
	rest := line
	for i := range head {
		group, after, ok := logGroup(rest)
		if !ok {
			return LogLine{}, false
		}
		head[i], rest = group, after
	}
	clock := strings.Split(head[0], ":")
	out := LogLine{Level: logTag(head[3])}
	if !isClock(clock) || !isNumber(head[1]) || head[2] != "DOCA" || out.Level == 0 {
		return LogLine{}, false
	}
	out.Time = logTime(clock, now)
	var before []string
	for {
		group, after, ok := logGroup(rest)
		if !ok {
			break
		}
		rest = after
		at := strings.LastIndexByte(group, ':')
		switch {
		case out.File != "":
			out.Function = group
		case at > 0 && isNumber(group[at+1:]):
			out.File = group[:at]
			out.Line, _ = strconv.Atoi(group[at+1:])
		case group != "":
			before = append(before, group)
		}
	}
	out.Text = strings.TrimPrefix(rest, " ")
	out.Source = strings.Join(before, " ")
	return out, true
}

// logGroup returns what stands in the brackets at the begin of a line, and what follows them.
func logGroup(line string) (group, rest string, ok bool) {
	if !strings.HasPrefix(line, "[") {
		return "", "", false
	}
	end := 1 + strings.IndexAny(line[1:], "[]")
	if end == 0 || line[end] == '[' {
		return "", "", false
	}
	return line[1:end], line[end+1:], true
}

// isClock reports whether the parts are those of HH:MM:SS:uuuuuu.
func isClock(parts []string) bool {
	if len(parts) != 4 {
		return false
	}
	for i, p := range parts {
		if want := []int{2, 2, 2, 6}[i]; len(p) != want || !isNumber(p) {
			return false
		}
	}
	return true
}

// isNumber reports whether s has digits, and nothing else.
func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
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
