// Package stream has what package comchnet needs of package comch and programs do not. Package comch sets the variables, and conn is a
// *comch.Conn.
package stream

var (
	// TrySend is Send that does not wait for a send task. If there is none, it sends nothing and returns false.
	TrySend func(conn any, msg []byte) (sent bool, err error)

	// Capabilities returns the *comch.Capabilities of the connection's device, which its server or client has asked for when it was
	// made. They are shared: nobody may change them.
	Capabilities func(conn any) any
)
