// Package dma copies memory with the DMA engine of a device. It binds DOCA DMA.
//
// [DMA.CopyRange] copies a range of one memory to another and waits: it needs two memories and
// nothing else. [DMA.CopyRangeAsync] returns a future. A [Batch] has many copies that are submitted
// together, the same ones in each run or others, in two crossings from Go into C. A [Stream] copies between
// an io.Reader or io.Writer and memory that only the device reaches.
//
// [DMA.Copy] and [DMA.CopyAsync] copy buffers, which a program makes with a [doca.Inventory]. They
// are for what ranges cannot do: source and destination may be lists of buffers, cut in different
// ways. A copy reads the data segments of the source. It writes from the head of the destination's
// region on and replaces what was there; then the destination's data segment is what was
// copied.
//
// While a copy is in flight, what it reads and writes belongs to the device. A buffer that is written
// to serves one copy at a time, which is checked. Which bytes two ranges or two buffers share is not:
// copies at the same time must not write to bytes that another one reads or writes. The emulator
// finds such copies if DOCA_EMU_CHECK_OVERLAPS is 1. docs/dma.md in the repository has more on all of
// this, with measurements.
//
// As DOCA has it, a task that fails stops the whole context: all other copies in flight fail as
// well, and the context becomes idle. Start makes the same DMA usable again.
package dma
