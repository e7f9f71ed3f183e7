//go:build emulator

package main

import _ "github.com/go-doca/go-doca/emulator"
