//go:build race

package cparse

const raceDetector = true
