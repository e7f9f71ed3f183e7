// SPDX-License-Identifier: Apache-2.0

// Package headers holds the reference headers of DOCA: C headers that declare the API of a DOCA
// release, with the documentation in this project's own words.
//
// They are what the generator reads where no SDK is installed, and what the emulator is compiled
// against.
package headers

import "embed"

// FS holds the reference headers, one directory per DOCA release ("3.0/doca_ctx.h" and so on).
//
// The headers are embedded because only files that belong to a Go package reach a module cache or a
// vendor directory: without this package `go mod vendor` would leave them out, and the emulator,
// which cgo compiles against them, would not build from a vendored tree. A program that does not
// import this package does not carry them.
//
//go:embed 3.0/*.h
var FS embed.FS
