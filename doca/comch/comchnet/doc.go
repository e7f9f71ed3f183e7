// Package comchnet carries byte streams over DOCA Comch: [Listener] is a net.Listener and
// [Conn] a net.Conn, so that net/http, gRPC and everything else that speaks over a net.Conn
// runs between a host and its DPU without a network.
//
//	l, err := comchnet.Listen(ctx, dev, rep, "web", comch.Config{})        // on the DPU
//	http.Serve(l, handler)
//
//	c, err := comchnet.Dial(ctx, dev, "web", comch.Config{})               // on the host
//
// A stream is one Comch connection. Write splits what it is given into messages of the full
// size; Read returns whatever has come. A Conn buffers up to 256 KiB that nobody reads, then
// the peer's Write waits. It never keeps the other connections of the same server or engine
// from being received.
//
// Listen and Dial give each Listener and each dialed Conn a progress engine of its own unless
// Config.Engine names one. No loop is needed: a goroutine of every Conn receives, and thereby
// drives the engine.
//
// # The protocol
//
// Both sides must use this package. A message of more than 6 bytes is data, all of it. A
// shorter one is a frame, whose first byte says what it is; numbers are big-endian.
//
//	0 DATA    1 to 5 bytes of data
//	1 HELLO   version uint8, window uint32
//	2 WINDOW  window uint32
//	3 END
//	4 RESET   code uint8
//
// So 6 bytes of data are sent as two frames, and all other data has no header.
//
// Each side's first message is HELLO with the version, 1, and the number of bytes that it
// receives before it has granted more. That is at least twice the largest message. DATA of
// either form uses the window up, and WINDOW adds to it: the receiver sends it when the
// program has read half of the window. A sender without window waits.
//
// END says that no more data follows; the other direction goes on. Close sends END, unless
// CloseWrite has, and disconnects. A connection that ends without END was cut off, and the
// reader is told so. RESET precedes the disconnect by a side that cannot go on: code is
// DOCA's for the reason, such as UNSUPPORTED_VERSION for a HELLO of another version, or
// UNEXPECTED for a message that breaks these rules.
package comchnet
