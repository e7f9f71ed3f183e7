// Package doca is the core of the Go bindings for NVIDIA DOCA: devices, memory,
// buffers, progress engines and the life of contexts. The packages below it
// (doca/dma and so on) each add one DOCA library.
//
// # Objects and their owners
//
// Objects form a tree: a [Device] owns the [Memory] registered with it and the
// contexts created on it, a [ProgressEngine] owns the contexts connected to it, an
// [Inventory] and a [Memory] own their [Buffer]s. Close on any of them closes what it
// owns first, in the order that DOCA demands; it may be called at any time, from any
// goroutine, more than once, and in any order.
//
// Keep an object's handle until it is closed, by its own Close or its owner's. A handle
// that is dropped earlier is reported as a leak (see [SetLeakReporter]) with the place
// where it was created. The object stays open until its owner is closed: nothing is
// ever freed behind DOCA's back.
//
// # Waiting
//
// DOCA completes work only while somebody drives the progress engine. Every blocking
// call of these packages does that while it waits, so a program needs no loop of its
// own: one of the waiting goroutines drives the engine, the others sleep until their
// operation has ended. [ProgressEngine.Run] and [ProgressEngine.Progress] are there
// for programs that would rather drive it themselves.
//
// A context.Context bounds the wait, never the hardware: DOCA cannot take a submitted
// task back. A cancelled call returns ctx.Err() at once, and the buffers stay the
// device's until the task has ended; Close waits for that.
//
// # Memory of other processes
//
// [Memory.ExportPCI] shows a memory to the other side of the PCI bus, host or DPU: its
// descriptor goes there by any way, such as a message of package comch, and
// [ImportMemory] makes a Memory of it that copies can read from, or write to if its
// access allows that.
//
// # Errors
//
// Errors wrap DOCA's codes: test them with errors.Is(err, doca.ErrNotSupported). A
// call that the object's state forbids is a [*StateError] and never reaches DOCA.
//
// # Which DOCA
//
// The installed SDK is loaded at run time; see [Provider]. Importing
// github.com/go-doca/go-doca/emulator links in a software DOCA that is used where no
// SDK is installed.
package doca
