package doca_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

func TestLeakIsReported(t *testing.T) {
	reports := make(chan doca.Object, 10)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	r := newRig(t)
	func() { must(r.Inv.Buffer(r.Mem, 7, 9))(t) }()
	o := collect(t, reports)
	if !strings.Contains(o.Name, "buffer#") || !strings.Contains(o.Name, "9 bytes at 7") {
		t.Errorf("leak of %q", o.Name)
	}
	if !strings.Contains(o.Site, "leak_test.go:") || !strings.Contains(o.Stack, "TestLeakIsReported") {
		t.Errorf("created at %q, stack\n%s", o.Site, o.Stack)
	}
	if leaks := doca.Leaks(); len(leaks) != 1 || leaks[0].Name != o.Name {
		t.Errorf("Leaks() = %v", leaks)
	}
	check(t, r.Inv.Close()) // the owner still closes it
	if leaks := doca.Leaks(); len(leaks) != 0 {
		t.Errorf("Leaks() = %v", leaks)
	}
	if n := doca.ReportOpenObjects(); n != len(doca.OpenObjects()) || n < 4 {
		t.Errorf("ReportOpenObjects() = %d", n)
	}
	for len(reports) > 0 {
		<-reports
	}
}

// Objects that are closed through their owners are no leaks.
func TestNoFalseLeaks(t *testing.T) {
	reports := make(chan doca.Object, 1000)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	for range 20 {
		func() {
			r := openRig(t)
			r.Copy(t)
			list := must(r.Inv.Buffer(r.Mem, 0, 8))(t)
			for range 3 { // the list keeps its elements
				check(t, list.Chain(must(r.Inv.Buffer(r.Mem, 0, 8))(t)))
			}
			gc()
			if list.ListLen() != 4 || len(list.Elements()) != 4 {
				t.Error("the list lost elements")
			}
			check(t, r.Inv.Close())
			check(t, r.Dev.Close())
			check(t, r.PE.Close())
		}()
	}
	gc()
	select {
	case o := <-reports:
		t.Errorf("%s is called a leak; created at %s", o.Name, o.Site)
	default:
	}
}

// The default report is one line that says what and where.
func TestDefaultLeakReport(t *testing.T) {
	r := newRig(t)
	text := captureStderr(t, func() { doca.ReportOpenObjects() })
	want := fmt.Sprintf("doca: leak: %v was never closed; created at leak_test.go:", r.Mem)
	if strings.Count(text, want) != 1 {
		t.Errorf("stderr is %q, without %q", text, want)
	}
}
