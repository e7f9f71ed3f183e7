//go:build race || asan

package dma_test

// The race detector and AddressSanitizer make pools forget.
const raceEnabled = true
