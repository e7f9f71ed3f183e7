// Package dma copies memory with the DMA engine of a device. It binds DOCA DMA.
//
// [DMA.Copy] copies one buffer to another and waits. [DMA.CopyAsync] returns a future. A
// [Batch] is prepared once and run many times, as fast as a loop in C. A [Stream] copies between
// an io.Reader or io.Writer and memory that only the device reaches.
//
// A copy reads the data segments of the source. It writes from the head of the destination's
// region on and replaces what was there; then the destination's data segment is what was
// copied. Source and destination may be lists of buffers that are cut in different ways.
//
// While a copy is in flight, its buffers belong to the device (see [doca.Buffer]). Several
// copies may read one source at the same time. A destination serves one copy at a time.
//
// As DOCA has it, a task that fails stops the whole context: all other copies in flight fail as
// well, and the context becomes idle. Start makes the same DMA usable again.
package dma
