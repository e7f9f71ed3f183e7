//go:build !race

package cparse

const raceDetector = false
