// Package rdma exchanges messages with peers across the network, and reads, writes and changes their
// memory, with DOCA RDMA.
//
// A context ([New]) has connections to peers. Both sides of a connection call [RDMA.Export], bring the
// details to each other, and call [Conn.Connect]; or one side listens ([RDMA.Listen]) and the other one
// dials its address ([RDMA.Dial]). [Conn.Write] and [Conn.Read] work on memory that the peer has exported
// ([doca.Memory.ExportRDMA], [doca.ImportMemory]) and need no help of its program. [Conn.Send] fills
// buffers that the peer has posted ([RDMA.Post], [RDMA.Recv]). [Conn.EventSet] changes a sync event that
// the peer waits for ([syncevent.Event.ExportNet], [syncevent.ImportNet]). Each operation blocks, or returns a
// [Future]; a [Batch] is submitted with one call into DOCA and allocates nothing.
//
// [NewOnDPA] makes a context with which code on a DPA works.
//
// A failed operation stops the context, and ends all its connections: call Start and connect again.
//
// The guide is docs/rdma.md.
package rdma
