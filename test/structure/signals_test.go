package structure

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// notified is a program's wish to be told of signals, and what follows it.
var notified = regexp.MustCompile(`(\w+), (\w+) :?= signal\.NotifyContext\(.*\n(.*)\n`)

// A program that is told of signals lets the second one end it: its work may not look at ctx for a while, or for ever.
func TestSecondSignalEndsPrograms(t *testing.T) {
	t.Parallel()
	found := 0
	for _, file := range sources(t) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "vet/testdata/") {
			continue
		}
		text := read(t, file)
		all := notified.FindAllStringSubmatch(text, -1)
		assert.Len(t, all, strings.Count(text, "signal.NotifyContext"), "%s: signal.NotifyContext in another form", file)
		if strings.Contains(text, "signal.Notify(") {
			assert.Contains(t, text, "signal.Reset()", "%s: a second signal does not end the program", file)
		}
		for _, m := range all {
			found++
			assert.Contains(t, m[3], "context.AfterFunc("+m[1]+", "+m[2]+")", "%s: a second signal does not end the program", file)
		}
	}
	assert.Positive(t, found)
}
