// Package comch sends messages and data between a host and its DPU. It binds DOCA Comch.
//
// A server runs on the DPU. It has a name, and it serves the programs on one function of the
// host, which a representor stands for. [Listen] starts a server, and [Server.Accept] returns
// its connections. A program on the host connects with [Dial]. Start the server first, or call Dial
// again after [ErrNoServer].
//
// # Messages
//
// A [Conn] carries messages of up to [Conn.MaxMessageSize] bytes. It keeps their boundaries
// and their order and loses none: [Conn.Send], [Conn.Recv], [Conn.RecvInto].
//
// A receiver that does not read slows its sender down. The connection queues up to
// Config.Backlog received messages. When the queue is full, the engine receives no more; then
// DOCA's receive queue fills, and the sender has to wait.
//
// The connections of a server share an engine, so one connection that nobody reads stops them
// all, and with them everything else on an engine that Config names. Read every connection,
// set a large Backlog, or close the connections that you do not need.
//
// # Data
//
// This is DOCA's fast path. A [Consumer] posts buffers, and a [Producer] of the peer writes up
// to 1 GiB into each, without a copy. A connection may have many of both, on either side. Each
// has an engine of its own unless its config names one, and then depends on no other engine.
//
// The short form is a consumer and a producer with buffers of their own (ConsumerConfig.BufferSize,
// ProducerConfig.BufferSize): [Consumer.Messages] is what comes, for a loop, and [Producer.SendBytes]
// sends a slice.
//
// [Producer.Send] waits until the consumer has posted a buffer. [Producer.SendBatch],
// [Consumer.RecvBatch] and [Consumer.PostBatch] handle many messages with one call into DOCA.
//
// A posted buffer belongs to the consumer until [Consumer.Recv] returns it or the consumer
// stops. Until then the buffer's Close returns [doca.ErrInUse]; such a buffer takes no new work: call Close
// again.
//
// # Messages for the DPA
//
// A [MsgQ] carries short messages between the program and code on a DPA (see package dpa), without a
// connection. The program's ends are a Consumer or a Producer for immediate data alone; the others are
// a [DPAConsumer] or a [DPAProducer], whose handles the code uses. With ConsumerConfig.AutoPost a consumer
// posts what it has received again by itself.
//
// # The end of a connection
//
// Either side ends a connection with Close. The peer still receives what was sent before. After
// that, every call on its side returns an error that is [ErrPeerGone] to errors.Is, a [*PeerError].
// The same holds if the peer disappears without closing, as a killed process does.
//
// Calls that receive return an error that is also io.EOF if it is known that the peer has closed
// the connection. DOCA tells that to a server. A client only knows with [Config].Farewell on both
// sides; without it, its error is never io.EOF. [Conn.Done] and [Conn.Err] report the end to
// programs that do not read.
package comch
