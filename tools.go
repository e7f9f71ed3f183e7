//go:build tools

// Package tools keeps the versions of the commands that `make lint` runs in go.mod.
package tools

import (
	_ "github.com/mgechev/revive"
	_ "golang.org/x/tools/cmd/deadcode"
	_ "honnef.co/go/tools/cmd/staticcheck"
)
