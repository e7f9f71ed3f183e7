//go:build race || asan

package sha_test

const raceEnabled = true
