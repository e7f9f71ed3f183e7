package cparse

import "io/fs"

// StandIns are the headers that take the place of third-party ones that are not installed.
func StandIns() (fs.FS, error) { return fs.Sub(standIns, "standin/thirdparty") }

// ForDevice tells whether a header is compiled for a device: it repeats types of host headers, so
// the two cannot be included together.
func ForDevice(header string) bool { return device.MatchString(header) }
