// Package syncevent is DOCA's sync events: 64-bit values that one side changes and another one waits for, within a
// process, between host and DPU, and across the network.
//
// An [Event] is made with [New], or with [Import] from what the process at the other end of the PCI bus has exported. Its
// methods act at once. A [TaskEvent] does the same with tasks on a progress engine. Both are [Publisher] and [Subscriber].
//
// The value is a level, not a queue: a subscriber sees the last value, not each one. So count up, and let the subscriber
// wait for more than it has seen:
//
//	var seen uint64
//	for {
//		seen, err = ev.WaitGreater(ctx, seen, syncevent.AllBits)
//		...
//	}
//
// A wait keeps no core and no thread busy, unless the program asks for that: see [Polling].
//
// DOCA promises nothing about the order of an event and other memory. On a BlueField-3, data that was written before Set was
// always there after the wait.
package syncevent
