package doca

import "github.com/go-doca/go-doca/doca/internal/core"

// SetLeakReporter sets the function that is told of every object whose handle was
// dropped without Close, and of those that [ReportOpenObjects] finds; nil restores the
// default, which writes one line to stderr. The function is called on a goroutine of
// the runtime and must not block.
func SetLeakReporter(report func(Object)) {
	if report == nil {
		core.SetLeakReporter(nil)
		return
	}
	core.SetLeakReporter(func(o core.Object) { report(Object(o)) })
}

// Leaks lists the objects that have not been closed and whose handles are gone: only
// the Close of a parent can still close them. The garbage collector finds them, so a
// test calls runtime.GC first.
func Leaks() []Object { return objects(core.Leaks()) }

// ReportOpenObjects hands every open object to the leak reporter and returns their
// number. Deferred in main, it is the check that a program closes what it opens.
func ReportOpenObjects() int { return core.ReportOpenObjects() }
