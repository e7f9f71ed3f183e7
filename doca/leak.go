package doca

import "github.com/go-doca/go-doca/doca/internal/core"

// SetLeakReporter sets the function that receives each leak: an object whose handle was
// dropped without Close, or an object that [ReportOpenObjects] finds. Such an object stays
// open until its owner is closed: nothing is ever freed behind DOCA's back. The default,
// which nil restores, writes one line to stderr. Objects of a kind that were created at the same
// place share a line, which names one of them and ends in their number, such as "x 12". report gets
// each of them. It runs on a goroutine of the runtime
// and must not block. SetLeakReporter may be called from any goroutine.
//
//doca:noblock report
func SetLeakReporter(report func(Object)) {
	if report == nil {
		core.SetLeakReporter(nil)
		return
	}
	core.SetLeakReporter(func(o core.Object) { report(Object(o)) })
}

// Leaks lists the open objects whose handles are gone. Only the Close of an owner can still
// close them. The garbage collector finds them, so a test first calls runtime.GC.
func Leaks() []Object { return objects(core.Leaks()) }

// ReportOpenObjects passes every open object to the leak reporter and returns their number. The
// default reporter writes the lines with the most objects first.
// Defer it in main to check that the program closes what it opens.
func ReportOpenObjects() int { return core.ReportOpenObjects() }
