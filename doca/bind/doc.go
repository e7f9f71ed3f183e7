// Package bind is for packages that bind further DOCA libraries on top of package doca, as
// doca/dma and doca/comch do. Programs do not need it.
package bind
