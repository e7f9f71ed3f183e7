package selfexec

import (
	"syscall"
	"testing"
)

// DeadPort returns a TCP port of 127.0.0.1 where nobody listens until the end of the test. A port at which somebody has listened
// before may be given to another program at any time.
func DeadPort(t testing.TB) int {
	t.Helper()
	return bound(t, 0)
}

// Port returns a TCP port of 127.0.0.1 at which a program that is told may listen, and that the system gives to nobody until the end
// of the test.
func Port(t testing.TB) int {
	t.Helper()
	return bound(t, 1)
}

// bound binds a socket to a port that nobody has. Where it may be used again, those that say so as well, as package net does, can listen.
func bound(t testing.TB, again int) int {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, again); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return name.(*syscall.SockaddrInet4).Port
}
