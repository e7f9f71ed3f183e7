// SPDX-License-Identifier: Apache-2.0

// Package rdma is the emulator's doca-rdma library, in C. It is part of the emulator: import package emulator instead.
package rdma

// #cgo CFLAGS: -std=gnu11 -O2 -pthread
// #cgo CFLAGS: -DDOCA_EMU_EMBEDDED -DDOCA_ALLOW_EXPERIMENTAL_API
// #cgo CFLAGS: -I${SRCDIR}/.. -I${SRCDIR}/../../headers/3.0
// #cgo LDFLAGS: -pthread
import "C"

import (
	_ "github.com/go-doca/go-doca/emulator/core"
	_ "github.com/go-doca/go-doca/emulator/dpacore"
	_ "github.com/go-doca/go-doca/emulator/syncevent"
	_ "github.com/go-doca/go-doca/headers"
)
