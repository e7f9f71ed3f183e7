// Package provider tests how the bindings find an implementation of DOCA. Each test runs a
// program of its own, because a process chooses only once.
package provider
