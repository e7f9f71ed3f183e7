// Package structure has the tests of how the packages that users import fit together: what
// each may import, and what their exported APIs may name.
package structure
