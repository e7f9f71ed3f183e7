// Package doca is the core of the Go bindings for NVIDIA DOCA: devices, memory, buffers,
// progress engines and the life of contexts. Each package below it, such as doca/dma, adds one DOCA
// library. Package doca/bind is for authors of more.
//
// Objects form a tree. A [Device] owns the contexts created on it and the [Memory]
// registered with it, a [ProgressEngine] owns the contexts connected to it, an [Inventory]
// and a [Memory] own their buffers. Close works on any object, at any time, from any
// goroutine, and first closes what the object owns. Keep the handle of an object until
// then: if the handle is dropped, the object is reported as a leak (see [SetLeakReporter]).
//
// DOCA completes work only while somebody drives the progress engine. Every blocking call
// does that while it waits, so a program needs no loop of its own. A context.Context bounds
// the wait, never the hardware: a cancelled call returns at once, and its buffers stay the
// device's until the task has ended. If the Context has ended before, nothing begins, unless it is
// a Stop or Shutdown, but what is there is returned. A nil one is an ErrInvalidValue.
//
// Errors wrap DOCA's codes: ask errors.Is(err, doca.ErrInUse). A call that the state of its object
// forbids returns a [*StateError] and never reaches DOCA.
//
// The installed SDK is loaded at run time; see [Provider]. Importing package emulator of this module
// links in a software DOCA, for machines without an SDK.
package doca
