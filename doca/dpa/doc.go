// Package dpa is DOCA's data-path accelerator: a processor beside the network that runs kernels, which are small programs in C.
//
// dpacc compiles the kernels, and the command gen dpa writes a Go package with a function for each of them: see docs/dpa.md in the
// repository. A [DPA] loads the application:
//
//	d, err := dpa.New(dev, dpa.Config{App: kernels.App()})
//	...
//	numbers, err := d.Alloc(4096)
//	...
//	run, err := kernels.LaunchScale(d, dpa.LaunchOptions{Threads: 4}, kernels.Range{First: numbers.Addr(), Count: 512}, 3)
//	...
//	err = run.Wait(ctx)
//
// A [Memory] is memory that the kernels see. A [Thread] is code that completions wake: those of a [Completion], to which [AsyncOps],
// RDMA contexts and others report, and those of a [NotificationCompletion]. Kernels and the host signal each other through sync events that
// have the location syncevent.DPA.
//
// What belongs to a DPA is closed before it, in the order that DOCA demands, whatever is closed first. Handles for device code,
// such as [Completion.Handle], are valid until their object is closed. Device code that uses them later makes the DPA fail.
//
// A kernel that crashes or runs too long is a fatal error of the DPA: from then on each call returns [ErrFatal]. Close the DPA then, and
// make a new one.
package dpa
