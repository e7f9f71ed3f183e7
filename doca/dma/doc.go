// Package dma copies memory with a device's DMA engine: DOCA DMA.
//
// [DMA.Copy] copies one buffer to another and waits; [DMA.CopyAsync] returns a future;
// a [Batch] is prepared once and run many times, at the speed of a loop in C.
//
// A copy reads the data segments of the source and writes from the head of the
// destination's region on; what the destination held is replaced, and afterwards its
// data segment is what was copied. Both may be lists of buffers, cut in any way.
//
// While a copy is in flight its buffers are the device's (see [doca.Buffer]). Two
// copies at once may read the same source; a destination is for one copy alone.
//
// A task that fails stops the whole context, as DOCA has it: all other copies in
// flight fail too, and the context becomes idle. Start on the same object starts it
// again.
package dma
