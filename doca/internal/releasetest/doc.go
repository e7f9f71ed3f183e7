// Package releasetest has the tests of what releases of DOCA after 3.0 have added, on the emulator as such a release and as an older
// one.
package releasetest
