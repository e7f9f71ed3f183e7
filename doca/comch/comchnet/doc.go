// Package comchnet carries byte streams over DOCA Comch. [Listener] is a net.Listener and [Conn]
// is a net.Conn, so net/http, gRPC and everything else that uses a net.Conn runs between a host
// and its DPU without a network.
//
//	l, err := comchnet.Listen(ctx, dev, rep, "web", comch.Config{})        // on the DPU
//	http.Serve(l, handler)
//
//	c, err := comchnet.Dial(ctx, dev, "web", comch.Config{})               // on the host
//
// A stream is one Comch connection. Write splits its data into messages of the maximum size.
// Read returns the data that has arrived. A Conn buffers 256 KiB that the program has not read,
// or four of the largest messages if that is more. When the buffer is full, the peer's Write
// waits. The other connections of the server or engine go on.
//
// Listen gives each Listener, and Dial each Conn, a progress engine of its own unless
// Config.Engine names one. The program needs no loop: every Conn has a goroutine that receives
// and thereby drives the engine.
//
// # The protocol
//
// Both sides must use this package. A message of more than 6 bytes consists of data. A message
// of up to 6 bytes is a frame: its first byte is the type. Numbers are big-endian.
//
//	0 DATA    1 to 5 bytes of data
//	1 HELLO   version uint8, window uint32
//	2 WINDOW  window uint32
//	3 END
//	4 RESET   code uint8
//
// So 6 bytes of data are sent as two frames, and longer data has no header.
//
// The first message of each side is HELLO. It has the version of the protocol, 1, and the
// window: the number of bytes of data that the peer may send. The window must be at least twice
// the maximum size of a message. Data uses the window up, with or without a header. WINDOW adds
// to it; the receiver sends WINDOW when the program has read half of the window. A sender whose
// window is used up waits.
//
// END says that no more data follows. The other direction goes on. Close sends END, unless
// CloseWrite has sent it, and disconnects. If a connection ends without END, it was cut off,
// and Read returns io.ErrUnexpectedEOF. RESET says that the sender cannot go on and is about to
// disconnect. Its code is a DOCA error: UNSUPPORTED_VERSION for a HELLO of another version,
// UNEXPECTED for a message that breaks these rules, FULL for a client that the server has no room
// for, which it tells without a HELLO.
package comchnet
