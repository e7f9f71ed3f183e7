package core

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// leakLines are the lines of the default leak reporter. Objects of a kind that were created at the same place share a line.
type leakLines []leakLine

type leakLine struct {
	kind  string
	first Object
	n     int
}

// add counts an object, and reports whether its line is new.
func (l *leakLines) add(o Object) bool {
	kind, _, _ := strings.Cut(o.Name, "#")
	i := slices.IndexFunc(*l, func(have leakLine) bool { return have.kind == kind && have.first.Site == o.Site })
	if i >= 0 {
		(*l)[i].n++
		return false
	}
	*l = append(*l, leakLine{kind, o, 1})
	return true
}

// print writes the lines, those with the most objects first. more follows the numbers.
func (l leakLines) print(more string) {
	slices.SortStableFunc(l, func(a, b leakLine) int { return cmp.Compare(b.n, a.n) })
	for _, line := range l {
		times := ""
		if line.n > 1 || more != "" {
			times = fmt.Sprintf(" x %d%s", line.n, more)
		}
		fmt.Fprintf(os.Stderr, "doca: leak: %s was never closed; created at %s%s\n", line.first.Name, line.first.Site, times)
	}
}

// leakPause is how long leaks that are like one before wait for more.
const leakPause = time.Second

// laterLeaks reports the leaks that the garbage collector finds. The first one of a kind and place is written at once, and those
// that follow soon after are counted.
var laterLeaks leakFolder

type leakFolder struct {
	mu    sync.Mutex
	seen  leakLines // written
	again leakLines // to be written
}

func (f *leakFolder) report(o Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.seen.add(o) {
		f.again.add(o)
		return
	}
	leakLines{{first: o, n: 1}}.print("")
	if len(f.seen) == 1 {
		time.AfterFunc(leakPause, f.flush)
	}
}

func (f *leakFolder) flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.again.print(" more")
	f.seen, f.again = nil, nil
}
