// Package comchnet carries byte streams over DOCA Comch. [Listener] is a net.Listener and [Conn]
// is a net.Conn, so net/http, gRPC and everything else that uses a net.Conn runs between a host
// and its DPU without a network.
//
//	l, err := comchnet.Listen(ctx, dev, rep, "web", comch.Config{})        // on the DPU
//	http.Serve(l, handler)
//
//	c, err := comchnet.Dial(ctx, dev, "web", comch.Config{})               // on the host
//
// [Dialer] has the DialContext that http.Transport and gRPC take.
//
// A stream is one Comch connection. Write splits its data into messages of the maximum size.
// Read returns the data that has arrived. A Conn buffers 256 KiB that the program has not read,
// or four of the largest messages if that is more. When the buffer is full, the peer's Write
// waits. The other connections of the server or engine go on.
//
// Once a direction has carried 1 MiB in writes that are longer than a message, writes of at least 8 KiB
// go through DOCA's fast path, which is several times as fast: a producer writes into buffers that the
// peer's consumer has posted. So do shorter ones that follow them, while buffers are free. Each side then
// has 8 buffers of 64 KiB for the direction, and the data in them that the program has not read adds to the
// above. On the emulator, those of the receiving side take a file descriptor. If the device or the peer does
// not support it, messages carry all data.
//
// Listen gives each Listener, and Dial each Conn, a progress engine of its own unless
// Config.Engine names one; the consumer and the producer of a Conn have engines of their own. The
// program needs no loop: a Read that waits drives the engine, and when none has waited for about a
// millisecond, a goroutine of the Conn does.
//
// # How a connection ends
//
// Both directions know alike how the peer has ended a connection:
//
//	                              Read                     Write                    Err
//	the peer has called Close     the rest, then io.EOF    EndOrderly               EndOrderly
//	it has called CloseWrite      the rest, then io.EOF    goes on                  nil
//	its process was killed        EndBroken                EndBroken                EndBroken
//	this side has called Close    net.ErrClosed            net.ErrClosed            net.ErrClosed
//
// EndOrderly and EndBroken are the End of the [*comch.PeerError] that errors.As finds, and each such error is
// [comch.ErrPeerGone] to errors.Is. Only with EndBroken, it is also io.ErrUnexpectedEOF: what the peer was sending
// is cut off. So it is if the peer ends the connection because of an error, by closing the device beneath it, for
// example. Read returns io.EOF only after END or CLOSE, see below. comch.Config.Farewell and Names
// make no difference to streams.
//
// An HTTP client gets these errors, within those of net/http, from Do and from the response's body. A response that
// the server has closed in its middle is io.ErrUnexpectedEOF without a PeerError: the connection ended in order, and
// the response did not. An HTTP handler gets them from the request's body and from the response writer, and with
// [Conn.Err] it finds out why the request's context has ended:
//
//	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
//		return context.WithValue(ctx, connKey{}, c)
//	}
//	...
//	<-r.Context().Done()
//	err := r.Context().Value(connKey{}).(*comchnet.Conn).Err()
//	killed := errors.Is(err, io.ErrUnexpectedEOF)
//
// gRPC turns each end of a connection into codes.Unavailable and keeps the text alone. A program that has to know
// keeps the Conn that its dialer has returned, or that its listener has accepted, and calls Err.
//
// # The protocol
//
// Both sides must use this package. A message of more than 6 bytes consists of data. A message
// of up to 6 bytes is a frame: its first byte is the type. Numbers are big-endian.
//
//	0 DATA      1 to 5 bytes of data
//	1 HELLO     version uint8, window uint32
//	2 WINDOW    window uint32
//	3 END
//	4 RESET     code uint8
//	5 OPEN
//	6 CONSUMER  id uint32, size uint8
//	7 AFTER     buffers uint32
//	8 CLOSE
//
// So 6 bytes of data are sent as two frames, and longer data has no header.
//
// The first message of each side is HELLO. It has the version of the protocol, 1, and the
// window: the number of bytes of data that the peer may send. The window must be at least twice
// the maximum size of a message. Data uses the window up, with or without a header. WINDOW adds
// to it; the receiver sends WINDOW when the program has read half of the window. A sender whose
// window is used up waits.
//
// If the window of HELLO is odd, its sender can receive through a consumer. Then the peer may send OPEN,
// once, and goes on with messages meanwhile. The answer is CONSUMER: the number of the consumer, which has
// 8 buffers of 2^size bytes posted and posts each again when the program has read it; or the number 0 if
// there is none after all. The peer may then send any data to the consumer. The immediate data of a buffer
// is how many bytes of data the sender had sent in messages before, modulo 2^32: so the receiver knows when
// to read it. AFTER says how many buffers the sender has sent, modulo 2^32: the messages that follow,
// END and CLOSE included, come after them. A sender that has sent buffers sends AFTER before its next data in a
// message, END or CLOSE. It may find then that it has no such data, and send more buffers: so AFTER may come
// when more buffers than it says have been read. A window that is even is that of a sender without consumers.
//
// END says that no more data follows. The other direction goes on. CLOSE says so, unless END has, and that its
// sender reads nothing more and is about to disconnect. If a connection ends without CLOSE, the peer has
// disappeared; without END as well, the data was cut off. RESET says that the sender cannot go on and is about to
// disconnect. Its code is a DOCA error: UNSUPPORTED_VERSION for a HELLO of another version,
// UNEXPECTED for a message that breaks these rules, FULL for a client that the server has no room
// for, which it tells without a HELLO.
package comchnet
