// Package templates holds the text templates of the C that gen emits (shims,
// trampolines, tables, stubs) and of package abi, which every generated package
// imports. Typed Go wrappers are not templates: gen builds them with jennifer.
package templates

import "embed"

// FS holds the templates, by file name.
//
//go:embed *.tmpl abi/*.tmpl
var FS embed.FS
