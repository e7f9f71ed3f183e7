//go:build !race && !asan

package dataplane

const raceEnabled = false
