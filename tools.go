//go:build ignore

// The commands that make lint runs. Their versions are in tools/go.mod, a module of its own:
// whoever requires this module does not get what they require. "ignore" keeps this file out of
// every build, and its imports out of a user's go.mod.
package tools

import (
	_ "github.com/mgechev/revive"
	_ "github.com/rhysd/actionlint/cmd/actionlint"
	_ "golang.org/x/tools/cmd/deadcode"
	_ "honnef.co/go/tools/cmd/staticcheck"
)
