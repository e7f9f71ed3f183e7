//go:build race

package storage

// build makes programs that find races, if the tests do.
var build = []string{"build", "-race"}
