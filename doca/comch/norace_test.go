//go:build !race && !asan

package comch_test

const raceEnabled = false
