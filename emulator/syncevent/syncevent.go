// SPDX-License-Identifier: Apache-2.0

// Package syncevent is the sync events of the emulator's doca-common library, in C. It is part of the emulator: import
// package emulator instead.
package syncevent

// #cgo CFLAGS: -std=gnu11 -O2 -pthread
// #cgo CFLAGS: -DDOCA_EMU_EMBEDDED -DDOCA_ALLOW_EXPERIMENTAL_API
// #cgo CFLAGS: -I${SRCDIR}/.. -I${SRCDIR}/../../headers/3.0
// #cgo LDFLAGS: -pthread
import "C"

import (
	"embed"

	_ "github.com/go-doca/go-doca/emulator/core"
	_ "github.com/go-doca/go-doca/emulator/dpacore"
	_ "github.com/go-doca/go-doca/headers"
)

// Headers holds the headers that the other packages of the emulator include. They are embedded so that the go command
// recompiles those packages when a header changes: it does not look at what C files include.
//
//go:embed *.h
var Headers embed.FS
