// Package core is what packages doca and doca/bind stand on: the inner parts of their
// objects. A handle, which users hold, points to its inner part, never the other way round,
// so that a lost handle is noticed.
package core
