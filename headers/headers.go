// SPDX-License-Identifier: Apache-2.0

// Package headers holds the reference headers of DOCA: C headers that declare the API of a DOCA
// release, with documentation in this project's own words.
//
// They are what the generator reads where no SDK is installed, and what the emulator is compiled
// against.
package headers

import "embed"

// FS holds the reference headers, one directory per DOCA release ("3.0/doca_ctx.h" and so on), of which those after 3.0 have additions alone (see internal/release), and in "dpa" what the
// compiler for the DPA has built in.
//
// They are embedded because of all files below a directory without Go code only embedded ones
// reach a vendor directory. The emulator, which cgo compiles against them, imports this package so
// that it builds from a vendored tree too; what no code refers to, the linker leaves out of the
// binary.
//
//go:embed 3.0/*.h 3.1/*.h 3.2/*.h dpa/*.h
var FS embed.FS
