// SPDX-License-Identifier: Apache-2.0

// Package dpacore is the part of the emulator's doca-common library that runs code for the DPA, in C. It is part of the
// emulator: import package emulator instead.
package dpacore

// #cgo CFLAGS: -std=gnu11 -O2 -pthread
// #cgo CFLAGS: -DDOCA_EMU_EMBEDDED -DDOCA_ALLOW_EXPERIMENTAL_API
// #cgo CFLAGS: -I${SRCDIR}/.. -I${SRCDIR}/../../headers/3.0
// #cgo LDFLAGS: -pthread
import "C"

import (
	"embed"

	_ "github.com/go-doca/go-doca/emulator/core"
	_ "github.com/go-doca/go-doca/headers"
)

// Headers holds the headers that the other packages of the emulator include. They are embedded so that the go command
// recompiles those packages when a header changes: it does not look at what C files include. The sources of the device
// library are what gen dpa takes along.
//
//go:embed *.h device
var Headers embed.FS
