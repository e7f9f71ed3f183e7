//go:build !race

package storage

var build = []string{"build"}
