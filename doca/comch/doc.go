// Package comch sends messages and data between a host and its DPU: DOCA Comch.
//
// A server runs on the DPU, for one representor and under a name: [Listen] starts it and
// [Server.Accept] returns the connections of the host function's programs, which make them
// with [Dial]. Either side may come first: Dial tries for as long as DOCA does.
//
// # Messages
//
// A [Conn] carries messages of up to [Conn.MaxMessageSize] bytes, complete and in order:
// [Conn.Send], [Conn.Recv] and [Conn.RecvInto].
//
// Both directions have back-pressure. Received messages wait in a queue of the connection's;
// when Config.Backlog of them wait, the engine takes no more, so that first DOCA's own
// receive queue fills and then the sender has to wait. All connections of a server share one
// engine: one that is not read holds the others up, and so it does everything else on an
// engine that Config names. So read each of them, or give Config a large Backlog, or close
// those that are not wanted.
//
// # Data
//
// A [Consumer] posts buffers, and a [Producer] of the other side writes into them: up to 1
// GiB at a time, without a copy. Both belong to a connection, which may have many, and either
// side may have both. Each has an engine of its own unless its config names one, and then needs
// nothing of the others. [Producer.Send] waits until the consumer has posted a buffer;
// [Producer.SendBatch], [Consumer.RecvBatch] and [Consumer.PostBatch] take many messages with one
// call into DOCA.
//
// A buffer that is posted is the consumer's until [Consumer.Recv] returns it, or the consumer
// stops. Until then its Close fails with [doca.ErrInUse].
//
// # The end of a connection
//
// Close on either side ends it. What was sent before still arrives; then Recv returns io.EOF.
// A peer that is gone without a word, such as a process that was killed, gives
// [doca.ErrConnectionReset] where DOCA tells the difference. [Conn.Done] and [Conn.Err] tell
// of the end without reading.
package comch
