package comch

import (
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Raw returns DOCA's object of the connection, valid until the connection ends. Use it as the address
// that it is, for example as the target of the emulator's faults; a call of DOCA with it also needs the lock
// of the connection's context, which only this package has. Errors: those of [Conn.Send] for a
// connection that has ended or is closed.
func (c *Conn) Raw() (*gen.Connection, error) {
	if c == nil || c.c == nil {
		return nil, noConn("raw")
	}
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	if err := in.usableLocked("raw"); err != nil {
		return nil, err
	}
	return in.raw, nil
}
