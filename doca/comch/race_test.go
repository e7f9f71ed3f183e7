//go:build race || asan

package comch_test

// The race detector and AddressSanitizer make pools forget.
const raceEnabled = true
