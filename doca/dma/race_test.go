//go:build race

package dma_test

// The race detector makes pools forget.
const raceEnabled = true
