// Command empty is what a Go program with cgo costs that does nothing.
package main

import "C"

func main() {}
