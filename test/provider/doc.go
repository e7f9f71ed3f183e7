// Package provider tests how the bindings find an implementation of DOCA: each test runs a
// program of its own, because the choice is made once in a process.
package provider
