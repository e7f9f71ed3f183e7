// Package core has the inner parts of the objects of packages doca and doca/bind. A handle,
// which users hold, points to its inner part, never the other way round, so that the garbage
// collector can tell when a handle is lost.
package core
