//go:build race || asan

package rdma_test

// The race detector and AddressSanitizer make pools forget.
const raceEnabled = true
