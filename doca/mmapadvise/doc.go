// Package mmapadvise is DOCA's advice on memory: it invalidates the processor's cache of memory that a device has written.
//
// A processor that has a range of memory in its cache may not see what a device writes there. [MmapAdvise.InvalidateCache] drops
// the range from the cache, so that the processor reads what the device has written.
package mmapadvise
