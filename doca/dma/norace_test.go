//go:build !race && !asan

package dma_test

const raceEnabled = false
